/** A folder on this machine, or a mounted one. */
import { createReadStream } from 'node:fs'
import { access, constants, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MillbookError } from '../../errors.js'
import { readSettings, text } from '../settings.js'
import type { TargetKind } from '../target.js'

export default {
  name: 'folder',
  read(settings) {
    const { path } =
      typeof settings === 'string' ? { path: settings } : readSettings('folder', settings, { path: text })
    return {
      async deliver(parcel, signal) {
        await access(path, constants.W_OK).catch(() => {
          throw new MillbookError(`cannot write to the folder ${path}: create it, or let this user write to it`)
        })
        const part = join(path, `.${parcel.name}.part`)
        const file = await open(part, 'w')
        try {
          for await (const piece of createReadStream(parcel.path, { signal })) await file.writeFile(piece)
          await file.sync()
          await file.close()
          await rename(part, join(path, parcel.name))
        } catch (error) {
          await file.close().catch(() => {})
          await rm(part, { force: true })
          throw error
        }
        return join(path, parcel.name)
      },
    }
  },
} satisfies TargetKind
