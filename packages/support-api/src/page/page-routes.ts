import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { html } from 'hono/html'
import { getAddress } from 'viem'
import type { ApiContext, Route, RouteContext } from '../context.ts'
import { parseBody, readBytes, tooLarge, reply, type Reply, toApiError } from '../edge/json.ts'
import { ApiError, errorTable, type Problem } from '../errors.ts'
import { faucetRequest } from '../faucet/faucet-routes.ts'
import type { ClaimStanding } from '../faucet/request-grant.ts'
import { createFloodLimit } from '../limits/create-flood-limit.ts'
import { problemResponses } from '../routes/problem-schema.ts'
import { version } from '../version.ts'
import { PageDocument } from './page-document.tsx'
import { pageStyle } from './page-style.ts'
import type { FaucetView, Fields, Outcome, PageView } from './view.ts'

/**
 * The page for people, and its form. Where a wallet is named, the page says how its claim stands; what a browser's script
 * shows while somebody types and waits is cut out of the same page, so it is right without a script too.
 */
export function pageRoutes(): readonly Route[] {
  const holdLooks = createFloodLimit({ perMinute: looksPerMinute, now: () => performance.now() })
  const render = claimPage()
  return [
    {
      config: { method: 'get', path: '/', summary: 'The faucet as a page', tags: ['pages'], responses: shown },
      async answer(c, context) {
        if (c.req.query('address') !== undefined) holdLooks(c.get('network'))
        const sent = attempt(() => fieldsOf(new URL(c.req.url).searchParams))
        const fields = 'value' in sent ? sent.value : none
        const faucet = await viewFaucet(c, context)
        const outcome = 'value' in sent ? await lookUp(fields, faucet, context) : refused(sent.error)
        return show(render(viewOf(c, context, { faucet, fields, outcome })), null)
      },
    },
    {
      config: { method: 'post', path: '/', summary: 'The form of the page', tags: ['pages'], responses: answered },
      async answer(c, context) {
        requireSameOrigin(c.req.raw.headers)
        const fields = await readForm(c.env.incoming)
        try {
          const { chainId, address } = await claim(c, context, fields)
          return { status: 303, headers: { location: `/?chainId=${chainId}&address=${address}` }, body: null }
        } catch (error) {
          const reported = toApiError(error)
          if (reported.code === 'INTERNAL') throw error
          context.metrics.refused(reported.code)
          const faucet = await viewFaucet(c, context)
          const outcome = (await earlierClaim(reported, fields, faucet, context)) ?? refused(reported)
          return show(render(viewOf(c, context, { faucet, fields, outcome })), reported)
        }
      },
    },
  ]
}

const shown = {
  200: { description: 'The page.', content: { 'text/html': { schema: {} } } },
  ...problemResponses(),
}

/** What the form brought is reported on the page; what is no form of the page, as a problem. */
const answered = {
  303: {
    description: 'The claim is taken in.',
    headers: { Location: { description: 'The page about the wallet.', schema: { type: 'string' as const } } },
  },
  ...Object.fromEntries(
    Object.entries(
      problemResponses(
        'VALIDATION_FAILED',
        'FAUCET_CHAIN_NOT_SUPPORTED',
        'FAUCET_TARGET_CONTRACT',
        'APP_ID_INVALID',
        'FAUCET_TARGET_FUNDED',
        'ORIGIN_NOT_ALLOWED',
        'ROUTE_NOT_FOUND',
        'FAUCET_ALREADY_CLAIMED',
        'PAYLOAD_TOO_LARGE',
        'MEDIA_TYPE_NOT_SUPPORTED',
        'FAUCET_DRY',
        'FAUCET_PAUSED',
      ),
    ).map(([status, problem]) => [
      status,
      { ...problem, content: { 'text/html': { schema: {} }, ...problem.content } },
    ]),
  ),
}

const looksPerMinute = 240
const none: Fields = { address: '', chainId: '', appId: '' }

function viewOf(
  c: RouteContext,
  { config }: ApiContext,
  shown: Pick<PageView, 'faucet' | 'fields' | 'outcome'>,
): PageView {
  const chains = config.faucet?.chains.map(({ chain }) => chain) ?? []
  const scheme = config.tls !== null || config.trustedProxies.length > 0 ? 'https' : 'http'
  return { ...shown, chains, appId: config.pageAppId, apiUrl: `${scheme}://${c.req.header('host')}`, version }
}

async function show({ page, csp }: RenderedPage, error: ApiError | null): Promise<Reply> {
  const retryAfter = error?.retryAfterSeconds ?? null
  const status = error === null ? 200 : errorTable[error.code].httpStatus
  const headers = {
    ...(retryAfter !== null && { 'retry-after': String(retryAfter) }),
    ...error?.headers,
    'content-security-policy': csp,
    // Without it a browser does not say where a form comes from.
    'referrer-policy': 'same-origin',
  }
  return reply(String(await page), 'text/html; charset=UTF-8', { status, headers })
}

type RenderedPage = ReturnType<ReturnType<typeof claimPage>>

async function viewFaucet(c: RouteContext, { faucet }: ApiContext): Promise<FaucetView> {
  if (faucet === null) return { kind: 'none' }
  try {
    const [report, networkLeft] = await Promise.all([faucet.report(), faucet.networkLeft(c.get('network'))])
    return { kind: 'open', report, networkLeft }
  } catch (error) {
    if (toApiError(error).code === 'INTERNAL') throw error
    return { kind: 'away' }
  }
}

async function claim(c: RouteContext, { apps, faucet }: ApiContext, fields: Fields) {
  const { chainId, address, appId } = parseBody(faucetRequest, { ...fields, chainId: numberIn(fields.chainId) })
  if (faucet === null) throw new ApiError('ROUTE_NOT_FOUND', 'This service runs without a faucet.')
  await apps.require(appId, c.get('network'))
  return faucet.grant({ chainId, address: getAddress(address), appId, network: c.get('network') })
}

/** What the page says of the wallet that is named, if one is. */
async function lookUp(fields: Fields, view: FaucetView, { faucet, now }: ApiContext): Promise<Outcome | null> {
  if (fields.address === '' || faucet === null || view.kind !== 'open') return null
  try {
    const wallet = walletIn(fields, view)
    const claim = await faucet.claimOf(wallet)
    if (claim === null) return { kind: 'free' }
    return standing(now() - claim.claimedAt > freshForMs ? 'earlier' : 'claim', claim, view)
  } catch (error) {
    const reported = toApiError(error)
    if (reported.code === 'INTERNAL') throw error
    return refused(reported)
  }
}

async function earlierClaim(reported: ApiError, fields: Fields, view: FaucetView, { faucet }: ApiContext) {
  if (reported.code !== 'FAUCET_ALREADY_CLAIMED' || faucet === null || view.kind !== 'open') return null
  const claim = await faucet.claimOf(walletIn(fields, view))
  return claim === null ? null : standing('earlier', claim, view)
}

function standing(kind: 'claim' | 'earlier', claim: ClaimStanding, { report }: OpenView): Outcome | null {
  const chain = report.chains.find(({ chainId }) => chainId === claim.chainId)
  return chain === undefined ? null : { kind, claim, chain }
}

type OpenView = Extract<FaucetView, { kind: 'open' }>

/** So long somebody may be waiting for it. */
const freshForMs = 10 * 60_000

/** Without a chain the first one is meant. Throws `VALIDATION_FAILED`. */
function walletIn({ address, chainId }: Fields, { report }: OpenView) {
  const chosen = chainId === '' ? report.chains[0]?.chainId : numberIn(chainId)
  const wallet = parseBody(faucetRequest.omit({ appId: true }), { address, chainId: chosen })
  return { chainId: wallet.chainId, address: getAddress(wallet.address) }
}

function numberIn(text: string): number {
  return /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN
}

function refused(error: ApiError): Outcome {
  const problem: Problem = error.toJSON()
  return { kind: 'refused', problem }
}

function attempt<Value>(make: () => Value): { readonly value: Value } | { readonly error: ApiError } {
  try {
    return { value: make() }
  } catch (error) {
    if (error instanceof ApiError) return { error }
    throw error
  }
}

/**
 * Refuses a form that another site's page had its visitor send. Browsers say where it comes from; whoever says nothing is
 * no browser, and has the API. Throws `ORIGIN_NOT_ALLOWED`.
 */
function requireSameOrigin(headers: Headers): void {
  const site = headers.get('sec-fetch-site')
  if (site === 'same-origin') return
  const origin = headers.get('origin') ?? ''
  const isOwn = site === null && URL.canParse(origin) && new URL(origin).host === headers.get('host')
  if (!isOwn) throw new ApiError('ORIGIN_NOT_ALLOWED', 'The form does not come from this page.')
}

/** Makes what renders the page: one document with one style and one script, both named by their hash in its policy. */
export function claimPage(): (view: PageView) => { readonly page: ReturnType<typeof html>; readonly csp: string } {
  const script = clientSource()
  const csp = [
    "default-src 'none'",
    `style-src '${hashOf(pageStyle)}'`,
    `script-src '${hashOf(script)}'`,
    "connect-src 'self'",
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return (view) => ({ page: html`<!doctype html>${PageDocument({ view, script })}`, csp })
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** The script of the page, as it was compiled from `client.ts`. */
function clientSource(): string {
  const source = readFileSync(new URL('../../dist/page/client.js', import.meta.url), 'utf8')
  return source.replaceAll(/^\/\/(\/ <reference|# sourceMappingURL=).*\n?/gm, '')
}

/**
 * The fields of the form, each at most once. Throws `MEDIA_TYPE_NOT_SUPPORTED`, `PAYLOAD_TOO_LARGE` and
 * `VALIDATION_FAILED`.
 */
async function readForm(request: IncomingMessage): Promise<Fields> {
  const { headers } = request
  if (!formType.test(headers['content-type'] ?? '')) {
    throw new ApiError('MEDIA_TYPE_NOT_SUPPORTED', 'The body is not a form.')
  }
  if (Number(headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes)
  return fieldsOf(new URLSearchParams((await readBytes(request, mostBytes)).toString('utf8')))
}

/** The fields in a form or in an address. Throws `VALIDATION_FAILED` for others and for repeated ones. */
function fieldsOf(sent: URLSearchParams): Fields {
  const faults = [...new Set(sent.keys())].filter((name) => !names.has(name) || sent.getAll(name).length > 1)
  if (faults.length > 0) {
    const details = faults.map((field) => ({ field: field.slice(0, 64), message: 'The field is unknown or repeated.' }))
    throw new ApiError('VALIDATION_FAILED', 'The form is not valid.', { details })
  }
  const field = (name: string) => (sent.get(name) ?? '').trim()
  return { address: field('address'), chainId: field('chainId'), appId: field('appId') }
}

/** Fields are read as UTF-8, which some programs say. */
const formType = /^application\/x-www-form-urlencoded[\t ]*(?:;[\t ]*charset=(?:utf-8|"utf-8")[\t ]*)?$/i
const names: ReadonlySet<string> = new Set(['address', 'chainId', 'appId'])
const mostBytes = 1_024
