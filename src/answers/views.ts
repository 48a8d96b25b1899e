/** Finds the saved view that a person names. */
import { MillbookError } from '../errors.js'
import { nearest } from '../nearest.js'

export interface NamedView {
  readonly id: string
  readonly name: string
  readonly owner: string
  readonly mine: boolean
}

/** The view with this id, else the reader's own view of this name, else the only shared one of this name. */
export function viewNamed<V extends NamedView>(name: string, views: readonly V[]): V {
  const named = views.filter((view) => view.name === name)
  const found = views.find(({ id }) => id === name) ?? named.find(({ mine }) => mine) ?? named[0]
  if (found === undefined)
    throw new MillbookError(
      `there is no view ${name}${nearest(
        name.slice(0, 60),
        views.map((view) => view.name),
      )}, or it is not shared with the user who reads it`,
    )
  if (found.id !== name && !found.mine && named.length > 1)
    throw new MillbookError(
      `${named.length} users have a view named ${name}; name one by its id: ${named.map(({ id, owner }) => `${id} of ${owner}`).join(', ')}`,
    )
  return found
}
