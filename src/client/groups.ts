/** The records of groups and of comparisons as types, so that a misspelt field or a wrong measure does not compile. */
import type { Head, Rest } from './fields.js'

/** Facts about the fields of a report's records that their types do not show. `D` is the type of decimals. */
export interface Figures<
  D,
  Numbers extends string,
  Sums extends string,
  Units extends object,
  Dates extends string,
  Cancelled extends string = never,
> {
  readonly decimal: D
  readonly numbers: Numbers
  /** The numbers that can be added up. */
  readonly sums: Sums
  /** The field with the unit of each quantity. */
  readonly units: Units
  readonly dates: Dates
  /** The number of cancelled documents, if the report has any. */
  readonly cancelled: Cancelled
}
export type AnyFigures = Figures<unknown, string, string, object, string, string>

/** `fy` is the financial year of the account. */
export type CalendarPeriod = 'day' | 'week' | 'month' | 'quarter' | 'year' | 'fy'

/** A field, or a period of a date such as `month(invoice_date)`. */
export type GroupBy<N extends string, G extends AnyFigures> = N | `${CalendarPeriod}(${G['dates']})`

/** A figure of a group, such as `sum(total_amt)`. */
export type MeasureOf<N extends string, G extends AnyFigures> =
  | 'rows'
  | `sum(${G['sums']})`
  | `avg(${G['numbers']})`
  | `${'min' | 'max' | 'count' | 'distinct'}(${N})`

/** A column of grouped records: its path, its type, and whether it is a number that is compared. */
export type AnyColumn = readonly [path: string, type: unknown, isFigure: boolean]

/** The columns of records grouped by `By`, with the measures `M`, or all sums if `M` is never. */
export type GroupColumns<R, G extends AnyFigures, By extends string, M extends string> =
  | KeyColumn<R, By>
  | ['rows', number, true]
  | CancelledColumn<G['cancelled']>
  | ([M] extends [never] ? SumColumn<G, Exclude<G['sums'], By>> : MeasureColumn<R, G, M>)
  | UnitColumn<R, Exclude<UnitOf<G, [M] extends [never] ? `sum(${Exclude<G['sums'], By>})` : M>, By>>

type KeyColumn<R, By extends string> = By extends `${infer P}(${infer F})`
  ? [`${F}_${P}`, string | null, false]
  : [By, At<R, By>, false]
type CancelledColumn<F extends string> = F extends string ? [F, number, true] : never
type SumColumn<G extends AnyFigures, F extends string> = F extends string ? [F, G['decimal'], true] : never
type MeasureColumn<R, G extends AnyFigures, M extends string> = M extends `sum(${infer F})`
  ? [F, G['decimal'], true]
  : M extends `avg(${infer F})`
    ? [`${F}_avg`, G['decimal'] | null, true]
    : M extends `${infer Name extends 'min' | 'max'}(${infer F})`
      ? [`${F}_${Name}`, At<R, F> | null, F extends G['numbers'] ? true : false]
      : M extends `${infer Name extends 'count' | 'distinct'}(${infer F})`
        ? [`${F}_${Name}`, number, true]
        : never
type UnitColumn<R, U extends string> = U extends string ? [U, At<R, U>, false] : never
/** Quantities of different units are not added up: where one is measured, its unit is a group too. */
type UnitOf<G extends AnyFigures, M extends string> = M extends `${'sum' | 'avg' | 'min' | 'max'}(${infer F})`
  ? F extends keyof G['units']
    ? G['units'][F] & string
    : never
  : never

/** The columns beside their values in an earlier period. */
export type ComparedColumns<C extends AnyColumn> = C extends readonly [infer P extends string, infer T, true]
  ? [P, T, true] | [`${P}__before`, T, true] | [`${P}__change`, T, true]
  : C

/** The record of these columns; the column `billing.city` is a member of the object `billing`. */
export type RecordOf<C extends AnyColumn> = {
  [H in Head<C[0]>]: H extends C[0] ? Extract<C, readonly [H, unknown, boolean]>[1] : RecordOf<Inside<C, H>>
}
type Inside<C extends AnyColumn, H extends string> = C extends readonly [
  `${H}.${infer P}`,
  infer T,
  infer B extends boolean,
]
  ? [P, T, B]
  : never

/** The type of a field; a field of an object is `billing.city`. */
type At<R, P extends string> = P extends keyof R
  ? R[P]
  : P extends `${infer H}.${infer Inner}`
    ? H extends keyof R
      ? At<NonNullable<R[H]>, Inner>
      : never
    : never

/** A record beside the record with the same key of an earlier period: without its lines, and with the change of each number `P`. */
export type Compared<R, P extends string> = {
  [N in keyof R as NonNullable<R[N]> extends readonly object[] ? never : N]: N extends P
    ? R[N]
    : N extends Head<P>
      ? Compared<R[N], Rest<P, N>>
      : R[N]
} & { [N in Extract<P, keyof R> as `${N}__before`]: R[N] } & {
  [N in Extract<P, keyof R> as `${N}__change`]: R[N] | null
}

/** The names of a compared record's single values. */
export type ComparedName<N extends string, P extends string> = N | `${P}__before` | `${P}__change`
