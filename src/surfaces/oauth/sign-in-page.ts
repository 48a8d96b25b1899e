/** The page on which a person signs in for a program. */
import type { FastifyReply } from 'fastify'
import { CONSOLE } from '../../access/clients.js'
import { groups as allGroups, type Group } from '../../groups.js'
import { type Html, html, sendPage } from '../../http/page.js'
import { type Authorization, cancelled } from './authorize.js'

const WORDS: Record<Group, string> = {
  masters: 'Products, materials and warehouses',
  purchase: 'Purchase orders',
  grn: 'Goods receipts',
  inventory: 'Stock',
  production: 'Production',
  sales: 'Sales and margins',
  insight: 'Traces, ages, expiry, cover and shortages',
  partner: 'Reports for partners',
  history: 'What loads changed, and closed periods',
}

export interface Shown {
  authorization: Authorization
  formToken: string
  /** The error of the last attempt, and the name that the person typed. */
  alert?: string
  username?: string
  status: number
}

export const sendSignInPage = (reply: FastifyReply, shown: Shown): FastifyReply => {
  const { redirectUri } = shown.authorization
  return sendPage(reply, shown.status, 'Sign in', form(shown), `'self' ${sourceOf(redirectUri)}`)
}

/** The redirect target as a source of the Content-Security-Policy, which cannot name IPv6 addresses. */
function sourceOf(uri: string): string {
  const { protocol, origin } = new URL(uri)
  return /^https?:$/.test(protocol) && !origin.includes('[') ? origin : protocol
}

function form({ authorization, formToken, alert, username = '' }: Shown): Html {
  const { parameters, client } = authorization
  const hidden = Object.entries({ ...parameters, form_token: formToken }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
  )
  const described = alert === undefined ? '' : html` aria-describedby="alert" aria-invalid="true"`
  const focus = html` autofocus`
  return html`<h1>Sign in</h1>
${client.clientId === CONSOLE ? '' : asks(authorization)}
${alert === undefined ? '' : html`<p class="alert" role="alert" id="alert">${alert}</p>`}
<form method="post" action="/oauth2/authorize">
${hidden}<label for="username">Username</label>
<input id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="100" required${described}${username === '' ? focus : ''}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1024" required${described}${username === '' ? '' : focus}>
<button type="submit">Sign in</button>
</form>
${client.clientId === CONSOLE ? '' : html`<p class="cancel"><a href="${cancelled(authorization)}">Cancel</a></p>`}`
}

/** The program's name and the groups that it asks for, so that the person can decide whether to sign in. */
function asks({ client, document, groups, redirectUri, resource }: Authorization): Html {
  const wanted = allGroups.filter((group) => (groups ?? client.groups ?? allGroups).includes(group))
  const { host, protocol } = new URL(redirectUri)
  const from = document === undefined ? '' : html` of ${new URL(client.clientId).host}`
  const assistant = html`<p class="note">It is an assistant: it can only read, by questions, and what it reads goes to
the company that runs it. Sign in only if you began this yourself.</p>`
  return html`<p><strong>${client.name}</strong>${from} asks to read in your name:</p>
<ul>${wanted.map((group) => html`<li>${WORDS[group]}</li>`)}</ul>
${resource === 'mcp' ? assistant : ''}
<p class="note">You return to ${host || protocol} afterwards.</p>`
}
