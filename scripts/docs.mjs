/** Writes the pages that are made from the code: run `npm run docs` after a change of an entity. */
import { writeFileSync } from 'node:fs'
import { importPage } from '../dist/import/document.js'

writeFileSync(new URL('../docs/import.md', import.meta.url), importPage())
