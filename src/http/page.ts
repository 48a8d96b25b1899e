/** Pages that the service itself shows to people: signing in, and why that failed. */
import type { FastifyReply } from 'fastify'
import { PAGE_HEADERS } from './headers.js'

/** HTML that may be put into a page as it is. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A template whose inserted texts are escaped; inserted HTML is not. */
export function html(parts: TemplateStringsArray, ...inserts: readonly (string | Html | readonly Html[])[]): Html {
  const texts = inserts.map((insert) => {
    if (typeof insert === 'string') return escaped(insert)
    return insert instanceof Html ? insert.text : insert.map(({ text }) => text).join('')
  })
  return new Html(parts.reduce((text, part, i) => `${text}${texts[i - 1]}${part}`))
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)

export const STYLESHEET = '/oauth2/sign-in.css'

const page = (title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Millbook</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="${STYLESHEET}">
</head>
<body>
<main>
<p class="brand"><img src="/icon.svg" alt="" width="28" height="28"> Millbook</p>
${body}
</main>
</body>
</html>
`.text

/** Browsers also check `form-action` where a response to the form redirects, so it names that place too. */
const policy = (formAction: string): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join(';')

export function sendPage(
  reply: FastifyReply,
  status: number,
  title: string,
  body: Html,
  formAction = "'none'",
): FastifyReply {
  return reply
    .code(status)
    .headers({
      ...PAGE_HEADERS,
      'content-security-policy': policy(formAction),
      'referrer-policy': 'same-origin', // with no-referrer, browsers send the form with Origin: null
      'cache-control': 'no-store',
    })
    .type('text/html; charset=utf-8')
    .send(page(title, body))
}

/** A page for an error, with a link to continue if there is one. */
export const sendFailure = (
  reply: FastifyReply,
  status: number,
  text: string,
  way?: { href: string; words: string },
): FastifyReply =>
  sendPage(
    reply,
    status,
    'Cannot sign in',
    html`<h1>Cannot sign in</h1>
<p class="alert" role="alert">${text}</p>
${way === undefined ? '' : html`<p><a class="button" href="${way.href}">${way.words}</a></p>`}`,
  )

/** Whether the caller is a script that wants JSON in place of a page. */
export const wantsJson = (accept: string | undefined): boolean =>
  accept?.includes('application/json') === true && !accept.includes('text/html')
