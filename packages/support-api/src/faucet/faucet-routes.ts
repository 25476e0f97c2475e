import { z } from '@hono/zod-openapi'
import { getAddress, isAddress } from 'viem'
import type { Route } from '../context.ts'
import { jsonReply, readJsonBody, requireJsonHeaders, parseBody, type Reply } from '../edge/json.ts'
import { problem, problemResponses } from '../routes/problem-schema.ts'
import type { Grant, GrantRequest } from './request-grant.ts'
import type { FaucetReport, NoFaucetReport } from './report-faucet.ts'

/** What a claim names, for the API and for the page's form. */
export const faucetRequest = z
  .strictObject({
    address: z
      .string()
      .refine(isAddressOrPlain, 'Accepted: 0x and 40 hex digits, whose checksum holds where upper case is used.')
      .openapi({ example: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }),
    chainId: z.int('Accepted: the id of a chain, a whole number.').positive().openapi({ example: 84532 }),
    appId: z.string('Accepted: the id of your app at the wallet provider.').max(64),
  })
  .openapi('FaucetRequest')

const grant = z
  .strictObject({
    status: z.enum(['queued', 'sent', 'confirmed']),
    claimId: z.string(),
    txHash: z.string().nullable().openapi({ description: 'null while the claim waits in the queue.' }),
    address: z.string(),
    chainId: z.int(),
    amount: z.string().openapi({ example: '0.01' }),
    currency: z.string(),
    explorerUrl: z.string().nullable(),
  })
  .openapi('FaucetGrant')

const alreadyClaimed = problem
  .extend({
    claimId: z.string(),
    txHash: z.string().nullable().openapi({ description: 'Of the first grant; null while it waits in the queue.' }),
    claimedAt: z.iso.datetime(),
    state: z.enum(['queued', 'sent', 'confirmed', 'failed']),
    explorerUrl: z.string().nullable(),
  })
  .openapi('FaucetAlreadyClaimed', { description: 'The problem, with what became of the first claim.' })

/** Grants 0.01 of the native currency to a wallet, once on each chain. */
export function faucetRequestRoute(take: (request: GrantRequest) => Promise<Grant>): Route {
  return {
    config: {
      method: 'post',
      path: '/v1/faucet/request',
      summary: 'Ask for testnet gas',
      description:
        'Sends 0.01 of the native currency to the wallet, once on each chain. A repeated request is answered with 409 and the transaction of the first.',
      tags: ['faucet'],
      request: { body: { required: true, content: { 'application/json': { schema: faucetRequest } } } },
      responses: {
        200: { description: 'The claim is taken in.', content: { 'application/json': { schema: grant } } },
        ...problemResponses(
          'VALIDATION_FAILED',
          'FAUCET_CHAIN_NOT_SUPPORTED',
          'FAUCET_TARGET_CONTRACT',
          'APP_ID_INVALID',
          'FAUCET_TARGET_FUNDED',
          'PAYLOAD_TOO_LARGE',
          'MEDIA_TYPE_NOT_SUPPORTED',
          'FAUCET_DRY',
          'FAUCET_PAUSED',
        ),
        409: {
          description: '`FAUCET_ALREADY_CLAIMED`',
          content: { 'application/problem+json': { schema: alreadyClaimed } },
        },
      },
    },
    async answer(c, { apps }) {
      requireJsonHeaders(c.env.incoming.headers, mostBytes)
      const { address, chainId, appId } = parseBody(faucetRequest, await readJsonBody(c.env.incoming, mostBytes))
      await apps.require(appId, c.get('network'))
      const network = c.get('network')
      return jsonReply(await take({ address: getAddress(address), chainId, appId, network }))
    },
  }
}

const mostBytes = 1_024

/** A checksum (EIP-55) is checked where there is one; all upper case is none. */
function isAddressOrPlain(value: string): boolean {
  return isAddress(value) || /^0x([0-9a-f]{40}|[0-9A-F]{40})$/.test(value)
}

const wei = z.string().openapi({ description: 'Whole wei.', example: '10000000000000000' })

const chain = z.strictObject({
  chainId: z.int(),
  name: z.string(),
  address: z.string().openapi({ description: 'Of the faucet.' }),
  amount: wei,
  balance: wei.nullable(),
  balanceFormatted: z.string().nullable(),
  currency: z.string(),
  claimsRemaining: z.int().nullable().openapi({ description: 'How many grants the balance is enough for.' }),
  claimsLeftToday: z.int().openapi({ description: 'What the cap of the chain leaves of the last 24 hours.' }),
  queueDepth: z.int(),
  oldestPendingSeconds: z.int().nullable(),
  lastClaimAt: z.string().nullable(),
  lastBlock: z.string().nullable(),
  rpc: z.enum(['ok', 'down']),
  enabled: z.boolean(),
  reason: z.enum(['rpc-down', 'paused', 'dry', 'fees', 'nonce', 'signer', 'wrong-chain']).nullable(),
  history: z.array(z.strictObject({ day: z.string(), claims: z.int() })),
})

const status = z
  .strictObject({
    status: z
      .enum(['ok', 'degraded', 'paused', 'off'])
      .openapi({ description: 'With off, this service has no faucet.' }),
    time: z.string(),
    version: z.string(),
    chains: z.array(chain),
    limits: z
      .strictObject({
        claimsPerAddressAndChain: z.literal(1),
        perAppPerDay: z.int(),
        perNetworkPerDay: z.int(),
        perChainPerDay: z.int(),
      })
      .nullable(),
  })
  .openapi('FaucetStatus')

/** What anybody may know of the faucet. */
export function faucetStatusRoute(report: () => Promise<FaucetReport | NoFaucetReport>): Route {
  // A report is asked for many times: it is put into words once.
  let worded: { readonly report: object; readonly reply: Reply } | null = null
  const { 503: away, ...others } = problemResponses()
  return {
    config: {
      method: 'get',
      path: '/v1/faucet/status',
      summary: 'How the faucet is',
      description: 'Balance, queue and last fourteen days of each chain, a few seconds old at most.',
      tags: ['faucet'],
      responses: {
        200: {
          description: 'It serves a chain at least, or is off.',
          content: { 'application/json': { schema: status } },
        },
        ...others,
        503: {
          ...away,
          description: `No chain is served for now; as a problem, ${away?.description ?? ''}.`,
          content: { 'application/json': { schema: status }, ...away?.content },
        },
      },
    },
    isOpenToPages: true,
    async tell() {
      const current = await report()
      if (worded?.report !== current) worded = { report: current, reply: replyOf(current) }
      return worded.reply
    },
  }
}

function replyOf(report: FaucetReport | NoFaucetReport): Reply {
  const status = report.status === 'paused' ? 503 : 200
  return jsonReply(report, { status, headers: { 'cache-control': 'public, max-age=5' } })
}
