/** Shows the dialog for pins over any page. Its script is fetched when it is first used. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PinDialog } from './dialog.js'
import { pinning } from './pins.js'

export function PinHost(): JSX.Element | null {
  const [loaded, setLoaded] = useState<{ Dialog: typeof PinDialog } | undefined>(undefined)
  const asked = pinning.value
  useEffect(() => {
    if (asked === undefined || loaded !== undefined) return
    import('./dialog.js').then(
      ({ PinDialog: Dialog }) => setLoaded({ Dialog }),
      () => {
        pinning.value = undefined
        alert('The dialog could not be fetched. Check the network; then try again.')
      },
    )
  }, [asked, loaded])
  return asked !== undefined && loaded !== undefined ? <loaded.Dialog pinning={asked} /> : null
}
