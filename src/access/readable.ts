/** The parts of the API that an app password may read. A route that names none of these refuses app passwords. */

/** The limits of an app password: if both lists are null, it may read all that its user may. */
export interface ReadLimits {
  /** Ids of saved views. */
  readonly views: readonly string[] | null
  /** Ids of reports. */
  readonly reports: readonly string[] | null
}

const isLimited = ({ views, reports }: ReadLimits): boolean => views !== null || reports !== null

export const allowsReport = (limits: ReadLimits, id: string): boolean =>
  !isLimited(limits) || limits.reports?.includes(id) === true

export const allowsView = (limits: ReadLimits, id: string): boolean =>
  !isLimited(limits) || limits.views?.includes(id) === true

/** Whether an app password with these limits may send a request of a route. */
export type Readable = (limits: ReadLimits, request: { readonly params?: unknown }) => boolean

/** A route with the records of a report. */
export const readsReport =
  (id: string): Readable =>
  (limits) =>
    allowsReport(limits, id)

/** A route with the data of the view that its parameter `id` names. */
export const readsView: Readable = (limits, { params }) => allowsView(limits, (params as { id: string }).id)

/** A route that leaves out itself what the limits do not allow. */
export const readsAllowed: Readable = () => true

/** A route with data of all reports. */
export const readsEverything: Readable = (limits) => !isLimited(limits)
