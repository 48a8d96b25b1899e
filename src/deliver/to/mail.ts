/** Mail with the report attached, and its figures in the text. Every attempt of a run has the same Message-ID. */
import { createTransport } from 'nodemailer'
import { MillbookError } from '../../errors.js'
import { smallest } from '../../formats/index.js'
import { number, optional, readSettings, text, texts } from '../settings.js'
import { figuresOf, type Parcel, type TargetKind } from '../target.js'

/** Most mail servers accept at most 25 MB, and the encoding makes an attachment a third larger. */
const LARGEST_MB = 15

export default {
  name: 'mail',
  read(settings) {
    const {
      smtp,
      from,
      to,
      subject,
      username,
      password,
      largest_mb = LARGEST_MB,
    } = readSettings('mail', settings, {
      ...{ smtp: text, from: text, to: texts, subject: optional(text) },
      ...{ username: optional(text), password: optional(text), largest_mb: optional(number) },
    })
    if (!URL.canParse(smtp) || !/^smtps?:$/.test(new URL(smtp).protocol))
      throw new MillbookError('mail.smtp must be smtp://host:port or smtps://host:port')
    if (new URL(smtp).password !== '')
      throw new MillbookError('mail.smtp must not have a password in it; use mail.username and mail.password')
    return {
      async deliver(parcel, signal) {
        signal.throwIfAborted()
        if (parcel.bytes > largest_mb * 1e6)
          throw new MillbookError(
            `${parcel.name} has ${(parcel.bytes / 1e6).toFixed(1)} MB, too large for mail (mail.largest_mb is ${largest_mb}); deliver it to a folder, s3 or sftp, or choose format ${smallest.name}`,
          )
        const { hostname, port, protocol } = new URL(smtp)
        const transport = createTransport({
          ...{ host: hostname, secure: protocol === 'smtps:' },
          ...(port !== '' && { port: Number(port) }),
          ...(username !== undefined && { auth: { user: username, pass: password ?? '' } }),
          ...{ connectionTimeout: 20_000, greetingTimeout: 20_000, socketTimeout: 60_000 },
        })
        const abort = () => transport.close()
        signal.addEventListener('abort', abort)
        try {
          const { rejected } = await transport.sendMail({
            ...{ from, to: [...to], subject: subjectOf(subject, parcel), text: textOf(parcel) },
            messageId: `<${parcel.run.replaceAll(/[^\w.-]+/g, '.')}.${parcel.sha256.slice(0, 16)}@millbook>`,
            attachments: [{ filename: parcel.name, path: parcel.path, contentType: parcel.contentType }],
          })
          if (rejected.length > 0) throw new Error(`the mail server refused ${rejected.join(', ')}`)
          return `mail to ${to.join(', ')}`
        } finally {
          signal.removeEventListener('abort', abort)
          transport.close()
        }
      },
    }
  },
} satisfies TargetKind

const subjectOf = (given: string | undefined, { report, view, records, version, job }: Parcel): string =>
  (given ?? `${job}: ${view ?? report}, ${records.toLocaleString('en')} records`)
    .replaceAll('{records}', String(records))
    .replaceAll('{version}', version)

function textOf(parcel: Parcel): string {
  const { parameters, ...figures } = { parameters: {}, ...figuresOf(parcel) }
  const lines = Object.entries({ ...figures, ...parameters }).map(([name, value]) => `${name}: ${value}`)
  return `${lines.join('\n')}\n\nThe attached file is complete if its SHA-256 equals sha256 above.\n`
}
