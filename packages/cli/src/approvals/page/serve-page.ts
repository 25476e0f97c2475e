import { createServer, type Server, type ServerResponse, type IncomingMessage } from 'node:http'
import { type Operations, StoreError } from '@svc/store'
import { randomBytes, createHash, timingSafeEqual } from 'node:crypto'
import type { StopCause } from '@svc/tool-server/until-stopped'
import { operatorName } from '../../own-data-directory.ts'
import { parseFlags, parseWholeNumber } from '../../parse-words-and-flags.ts'
import { openOperations } from '../open-operations.ts'
import * as z from 'zod'
import {
  htmlText,
  listView,
  outcome,
  pageCss,
  readList,
  html,
  type Html,
  type OperationList,
} from '@svc/tool-server/operator-page'
import { pageJs } from './assets.ts'

/**
 * Serves the approval page on loopback. Its address holds a token that opens it once, for the first browser that comes with
 * it; that browser gets a cookie and no other does. Rejects when the port cannot be had.
 */
export async function servePage(options: PageOptions): Promise<ServedPage> {
  const reading = { headersTimeout: 10_000, requestTimeout: 10_000, joinDuplicateHeaders: true }
  const server = createServer(reading, (request, response) => {
    answerRequest(request, response, state).catch(() => end(response))
  })
  server.maxConnections = 64
  const port = await listen(server, options.port)
  const state: PageState = {
    ...options,
    host: `127.0.0.1:${port}`,
    token: { value: options.newToken() },
    cookie: options.newToken(),
  }
  return {
    url: `http://${state.host}/?token=${state.token.value}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export type PageOptions = {
  readonly operations: Operations
  /** 0 is any free one. */
  readonly port: number
  /** Who decides, as it is written down. */
  readonly by: string
  /** Unix milliseconds. */
  readonly now: () => number
  /** An unguessable text of URL-safe characters. */
  readonly newToken: () => string
}

export type ServedPage = { readonly url: string; close(): Promise<void> }

function end(response: ServerResponse): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(500, { 'content-type': 'text/plain' }).end('Something went wrong; see the terminal.\n')
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new Error(`--port ${port} cannot be had: ${error.message}`)))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('The page has no TCP address.'))
      else resolve(address.port)
    })
  })
}

/** `svc approvals page`: the same as the other commands in a browser of this machine, until Ctrl-C. */
export async function page(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir', 'port'] })
  const port = parseWholeNumber('--port', flags.port, 0, 65_535) ?? 0
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const served = await servePage({
      operations: open.operations,
      port,
      by: operatorName(),
      now: Date.now,
      newToken: () => randomBytes(32).toString('base64url'),
    })
    process.stdout.write(`Open this once, in a browser of this machine; Ctrl-C ends it.\n\n  ${served.url}\n`)
    await stopped
    await served.close()
    return 0
  } finally {
    await open.close()
  }
}

/**
 * Answers one request of the page. In order: the Host must be our own (no rebound name), a foreign Origin is refused, the
 * cookie must be ours; a decision needs besides our Origin and a JSON body, which no form of another site can send.
 */
async function answerRequest(request: IncomingMessage, response: ServerResponse, state: PageState): Promise<void> {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  const { host, origin } = request.headers
  if (host !== state.host) return refuse(response, 403, 'This page answers under its own address only.')
  if (origin !== undefined && origin !== `http://${state.host}`) return refuse(response, 403, 'Foreign origin.')
  const url = new URL(request.url ?? '/', `http://${state.host}`)
  const route = `${request.method} ${url.pathname}`
  if (route === 'GET /' && url.searchParams.has('token'))
    return exchange(url.searchParams.get('token') ?? '', response, state)
  if (!holdsCookie(request, state)) return refuse(response, 401, 'Open the address that svc approvals page printed.')
  if (route === 'GET /') return send(response, 200, 'text/html', htmlText(pageView(await all(state), state.now())))
  if (route === 'GET /list') return send(response, 200, 'text/html', htmlText(listView(await all(state), state.now())))
  if (route === 'GET /page.css') return send(response, 200, 'text/css', pageCss)
  if (route === 'GET /page.js') return send(response, 200, 'text/javascript', pageJs)
  if (route === 'POST /decide') return change(request, response, state, decide)
  if (route === 'POST /cancel') return change(request, response, state, cancel)
  return refuse(response, 404, 'There is nothing at this address.')
}

type PageState = {
  readonly operations: Operations
  readonly by: string
  readonly now: () => number
  /** Host and port, as a browser of this machine names them. */
  readonly host: string
  /** Opens the page once; `null` once it has. */
  readonly token: { value: string | null }
  /** What the browser holds after that. */
  readonly cookie: string
}

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** The redirect takes the token out of the address bar and the history. */
function exchange(token: string, response: ServerResponse, state: PageState): void {
  if (state.token.value === null || !equal(token, state.token.value)) {
    return refuse(response, 401, 'This address was used already. Start svc approvals page again for a new one.')
  }
  state.token.value = null
  response
    .writeHead(303, {
      location: '/',
      'set-cookie': `${cookieName(state)}=${state.cookie}; Path=/; HttpOnly; SameSite=Strict`,
    })
    .end()
}

/** Cookies know no ports: two pages on one machine must not overwrite each other's. */
function cookieName({ host }: PageState): string {
  return `svc_approvals_${host.split(':')[1]}`
}

function holdsCookie(request: IncomingMessage, state: PageState): boolean {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  return pairs.some(([name, value]) => name === cookieName(state) && equal(value ?? '', state.cookie))
}

function all(state: PageState) {
  return readList(state.operations, { all: true })
}

const decision = z.strictObject({
  id: z.string().max(128),
  planHash: z.string().regex(/^0x[0-9a-f]{64}$/),
  approved: z.boolean(),
})

const cancelling = z.strictObject({ id: z.string().max(128) })

/** What the word says is done, or `null` when it is none. */
type Change = (word: unknown, state: PageState) => Promise<string | null>

async function change(
  request: IncomingMessage,
  response: ServerResponse,
  state: PageState,
  work: Change,
): Promise<void> {
  if (request.headers.origin !== `http://${state.host}`) return answer(response, 403, 'Foreign origin.')
  if (request.headers['content-type'] !== 'application/json') {
    return answer(response, 415, 'A decision is application/json.')
  }
  try {
    const done = await work(await readJson(request), state)
    return done === null ? answer(response, 400, 'This is no decision.') : answer(response, 200, done)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return answer(response, 409, error.message)
  }
}

async function decide(word: unknown, { operations, by }: PageState): Promise<string | null> {
  const parsed = decision.safeParse(word)
  if (!parsed.success) return null
  const { id, planHash, approved } = parsed.data
  return outcome(await operations.decide(id, { approved, planHash, by }))
}

async function cancel(word: unknown, { operations, by }: PageState): Promise<string | null> {
  const parsed = cancelling.safeParse(word)
  if (!parsed.success) return null
  await operations.cancel(parsed.data.id, by)
  return 'Cancelled.'
}

/** `undefined` for what is no JSON or too long. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > mostCharacters) return undefined
  }
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const mostCharacters = 4_096

function equal(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

function answer(response: ServerResponse, status: number, message: string): void {
  send(response, status, 'application/json', JSON.stringify({ message }))
}

function refuse(response: ServerResponse, status: number, message: string): void {
  send(response, status, 'text/plain', `${message}\n`)
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(body)
}

/** The whole page with the list in it, readable as it comes. Unix milliseconds. */
function pageView(list: OperationList, now: number): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Approvals</title>
        <link rel="stylesheet" href="/page.css" />
        <link rel="icon" href="data:," />
        <script src="/page.js" defer></script>
      </head>
      <body>
        <header>
          <h1>Approvals</h1>
          <p>
            What the agent asks for and may not do without a person. A decision holds for exactly the plan whose hash is
            shown, once, before it expires.
          </p>
        </header>
        <p id="said" role="status" aria-live="polite"></p>
        <main id="list">${listView(list, now)}</main>
        <noscript
          ><p class="hint">Without JavaScript this page shows; decide with <code>svc approvals</code>.</p></noscript
        >
      </body>
    </html>`
}
