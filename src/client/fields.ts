/** The names of a record's fields as types, so that a misspelt one does not compile. */

/** Fields that only `changesSince` adds begin with an underscore. */
type Own<R> = Exclude<keyof R & string, `_${string}`>

/** The single values of a record; a field of an object as `billing.city`. Lists have no single value. */
export type FieldName<R> = {
  [N in Own<R>]: NonNullable<R[N]> extends readonly unknown[]
    ? never
    : NonNullable<R[N]> extends object
      ? `${N}.${FieldName<NonNullable<R[N]>>}`
      : N
}[Own<R>]

/** The fields that a caller may choose: single values, and whole objects and lists. `N` names the single values. */
export type Choice<R, N extends string> = Own<R> | N

/** The record with the chosen fields only. */
export type Chosen<R, F extends string> = {
  [N in keyof R as N extends Head<F> ? N : never]: N extends F ? R[N] : Chosen<R[N], Rest<F, N & string>>
}
export type Head<F extends string> = F extends `${infer N}.${string}` ? N : F
export type Rest<F extends string, N extends string> = F extends `${N}.${infer Inner}` ? Inner : never

/** A field to sort by; a minus before it sorts descending. */
export type SortField<N extends string> = N | `-${N}`

/** A condition: a field, an operator and a value, such as `total_amt>=1000`. */
export type Filter<N extends string> = `${N}${'=' | '!=' | '<' | '>' | '~' | '!~'}${string}`
