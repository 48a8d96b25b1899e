/** The company whose data the service has. */
import { computed, signal } from '@preact/signals'

/** The company, as its data names it; undefined until the session is known. */
export const account = signal<{ readonly name: string; readonly currency: string } | undefined>(undefined)

/** The name of an account to which nobody has given one. */
const UNNAMED = 'Unnamed account'

/** The name of the company; undefined while it has none. */
export const companyName = computed(() => (account.value?.name === UNNAMED ? undefined : account.value?.name))
