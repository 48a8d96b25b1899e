/** Removes compiled files whose source is gone: dist/import/entities.js loads every file of its folder. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

prune('dist', 'src')
prune('packages/client/dist', 'src/client')

function prune(/** @type {string} */ compiled, /** @type {string} */ sources) {
  const [dist, src] = [compiled, sources].map((path) => fileURLToPath(new URL(`../${path}`, import.meta.url)))
  if (!existsSync(`${dist}`)) return
  for (const file of readdirSync(`${dist}`, { recursive: true, encoding: 'utf8' })) {
    const [, base] = /^(.+?)\.(?:js|js\.map|d\.ts)$/.exec(file) ?? []
    // console/ is built by Vite, which empties its folder.
    if (base !== undefined && !file.startsWith('console/') && !existsSync(`${src}/${base}.ts`))
      rmSync(`${dist}/${file}`)
  }
}
