/** Starts the console: reads the session, then renders. */
import { render } from 'preact'
import '../style/tokens.css'
import '../style/base.css'
import '../style/frame.css'
import '../style/report.css'
import '../style/group.css'
import '../style/overview.css'
import '../style/operate.css'
import '../style/history.css'
import '../style/print.css'
import { App } from './app.js'
import { followScroll } from './location.js'
import { copyRawCells } from './parts/copy.js'
import { followVersions, loadSession, openByTicket } from './session.js'

const root = document.querySelector('#app') as HTMLElement

async function start(): Promise<void> {
  let note: string | undefined
  try {
    note = await openByTicket()
    await loadSession()
  } catch {
    root.textContent = ''
    const text = document.createElement('p')
    text.className = 'state'
    text.textContent = 'The service cannot be reached. Reload the page to try again.'
    root.append(text)
    return
  }
  root.textContent = ''
  render(<App note={note} />, root)
  followVersions()
  copyRawCells()
  followScroll(() => document.querySelector<HTMLElement>('#main'))
}

void start()
