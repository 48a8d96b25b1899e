/** Builds console/ into dist/console, unless dist/console is newer than every source file. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const built = `${root}/dist/console/index.html`

/** @param {string} folder */
const newest = (folder) =>
  Math.max(
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => statSync(`${folder}/${name}`).mtimeMs),
  )

const sources = Math.max(newest(`${root}/console`), statSync(`${root}/package-lock.json`).mtimeMs)
if (!existsSync(built) || statSync(built).mtimeMs < sources) {
  const { build } = await import('vite')
  await build({ configFile: `${root}/console/vite.config.ts`, logLevel: 'warn' })
}
