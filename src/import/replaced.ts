/** Checks which entities a load may replace; apart from the load, so that a service can check it without importing the pipeline. */
import { MillbookError } from '../errors.js'
import { nearest } from '../nearest.js'
import { entities } from './entities.js'
import type { Source } from './source.js'

/** Throws if a name is not an entity, or if the source has no part for it. */
export function checkReplaced(replaced: Iterable<string>, source: Source): void {
  const names = entities.map((entity) => entity.name)
  for (const name of replaced) {
    if (!names.includes(name))
      throw new MillbookError(`there is no entity ${name}${nearest(name, names)}; there are ${names.join(', ')}`)
    if (!source.parts.some(({ entity }) => entity.name === name))
      throw new MillbookError(`--replace ${name} needs a file for ${name}`)
  }
}
