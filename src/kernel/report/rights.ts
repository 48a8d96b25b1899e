/** What a caller may see of a report: contact data, and data that belongs to other groups. */
import { type Group, mayUse } from '../../groups.js'

/** Who asks. */
export interface Reader {
  /** The groups of reports that the reader may use; null for all. */
  readonly groups: readonly string[] | null
  readonly hideContacts: boolean
}

/** Restrictions on the data that the caller may see. There is one object for all callers with the same restrictions. */
export interface View {
  readonly hideContacts: boolean
  /** The groups of the report's `masks` that the caller may not use. */
  readonly without: readonly Group[]
}

const views = new Map<string, View>()

function known(hideContacts: boolean, without: readonly Group[]): View {
  const name = [hideContacts, ...without].join(' ')
  const view = views.get(name) ?? { hideContacts, without }
  views.set(name, view)
  return view
}

/** The view of a caller without restrictions. */
export const WHOLE = known(false, [])
const WITHOUT_CONTACTS = known(true, [])

export const viewOf = (reader: Reader, masks: readonly Group[] | undefined): View =>
  masks === undefined
    ? reader.hideContacts
      ? WITHOUT_CONTACTS
      : WHOLE
    : known(
        reader.hideContacts,
        masks.filter((group) => !mayUse(reader, group)),
      )
