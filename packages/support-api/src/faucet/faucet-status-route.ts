import { z } from '@hono/zod-openapi'
import type { Route } from '../context.ts'
import { jsonReply, type Reply } from '../edge/reply.ts'
import { problemResponses } from '../routes/problem-schema.ts'
import type { FaucetReport, NoFaucetReport } from './report-faucet.ts'

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
