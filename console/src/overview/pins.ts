/** Opens the dialog that pins a view, or changes a pin. Any page may call it; the frame shows the dialog. */
import { signal } from '@preact/signals'
import type { Pin, PinnedView } from './definition.js'
import { addPin } from './store.js'

/** The view that the user pins: as a page shows it, or a saved one. */
export interface PinSource {
  readonly title: string
  readonly definition: PinnedView
  /** The id of a saved view: later changes of it change the pin too. */
  readonly view?: string
  readonly kind?: Pin['kind']
  readonly style?: Pin['style']
}

export interface Pinning {
  /** Undefined: the user chooses a report or a saved view first. */
  readonly source?: PinSource
  /** The pin that is changed; undefined for a new one. */
  readonly pin?: Pin
  /** Keeps the pin; throws if the service does not. */
  done(pin: Pin): Promise<void> | void
}

export const pinning = signal<Pinning | undefined>(undefined)

/** Asks how a view is to be shown, with a preview, and puts it on the overview. */
export function pin(source: PinSource, done: (pin: Pin) => Promise<void> | void = addPin): void {
  pinning.value = { source, done }
}

/** Asks first what to pin. */
export function pinAny(done: (pin: Pin) => Promise<void> | void = addPin): void {
  pinning.value = { done }
}

export function changePin(changed: Pin, done: (pin: Pin) => void): void {
  pinning.value = { pin: changed, done }
}
