import { z } from '@hono/zod-openapi'
import { type AgentCard, requireAgentCard, WalletError } from '@svc/wallet/core'
import type { Route } from '../context.ts'
import { parseBody, readJsonBody, requireJsonHeaders, tooLarge, jsonReply } from '../edge/json.ts'
import { ApiError } from '../errors.ts'
import { problemResponses, rateLimitHeaderObjects } from './problem-schema.ts'

const text = (least: number, most: number) => z.string().min(least).max(most)

/** The strict AgentCard as the API description shows it. What is accepted is the wallet's `requireAgentCard`. */
export const agentCardSchema = z
  .strictObject({
    name: text(1, 100),
    description: text(1, 2_000),
    domains: z
      .array(
        z.strictObject({
          domain: z
            .string()
            .regex(/^[a-z0-9_]+(\/[a-z0-9_]+){0,4}$/)
            .max(200),
          primary: z.boolean(),
        }),
      )
      .max(16),
    services: z
      .array(z.strictObject({ type: z.enum(['mcp', 'a2a']), url: z.url({ protocol: /^https?$/ }).max(500) }))
      .max(16),
    trust: z.strictObject({ reputation: z.boolean(), cryptoEconomic: z.boolean(), zkml: z.boolean() }),
    metadata: z
      .record(z.string().regex(/^(?!agentWallet$)[a-zA-Z0-9:_.-]{1,64}$/), z.string().max(500))
      .openapi({ description: 'At most 32 entries.' }),
  })
  .openapi('AgentCard', {
    description:
      'What an agent says of itself; at most 32 KiB. Texts hold no control characters, addresses no user and password.',
  })

const envelope = z.strictObject({ agentCard: z.unknown().optional() })

const answer = z
  .strictObject({ cid: z.string(), uri: z.string(), gatewayUrl: z.string() })
  .openapi('Pin', { example: example() })

/** Pins the registration file of a card for an app. */
export const pinRoute: Route = {
  config: {
    method: 'post',
    path: '/v1/ipfs/pin',
    summary: 'Pin an agent card',
    description:
      'Makes the ERC-8004 registration file of the card and pins it under the address of its canonical bytes. Ten new cards per app in any hour; the same card again is free and has the same address.',
    tags: ['pins'],
    security: [{ appId: [] }],
    request: {
      body: {
        required: true,
        content: { 'application/json': { schema: z.strictObject({ agentCard: agentCardSchema }) } },
      },
    },
    responses: {
      200: {
        description: 'It is pinned.',
        headers: rateLimitHeaderObjects,
        content: { 'application/json': { schema: answer } },
      },
      ...problemResponses(
        'VALIDATION_FAILED',
        'APP_ID_INVALID',
        'PAYLOAD_TOO_LARGE',
        'MEDIA_TYPE_NOT_SUPPORTED',
        'PIN_RATE_LIMITED',
        'PIN_CID_MISMATCH',
      ),
    },
  },
  async answer(c, { apps, pins, config }) {
    requireJsonHeaders(c.env.incoming.headers, mostBytes)
    const appId = bearerOf(c.req.header('authorization'))
    await apps.require(appId, c.get('network'))
    const { agentCard } = parseBody(envelope, await readJsonBody(c.env.incoming, mostBytes))
    const { cid, headers } = await pins.pin({ card: requireCard(agentCard), appId, network: c.get('network') })
    return jsonReply({ cid, uri: `ipfs://${cid}`, gatewayUrl: `${config.gatewayUrl}/ipfs/${cid}` }, { headers })
  },
}

const mostCardBytes = 32 * 1024
/** The card and what stands around it. */
const mostBytes = mostCardBytes + 256

/** The token as it was sent; one that is missing or malformed is no app id either. */
function bearerOf(authorization: string | undefined): string {
  return /^Bearer ([!-~]+)$/i.exec(authorization ?? '')?.[1] ?? ''
}

function requireCard(value: unknown): AgentCard {
  if (Buffer.byteLength(JSON.stringify(value) ?? '') > mostCardBytes) throw tooLarge(mostCardBytes)
  try {
    return requireAgentCard(value)
  } catch (error) {
    if (!(error instanceof WalletError)) throw error
    throw new ApiError('VALIDATION_FAILED', 'The agent card is not valid.', { details: refusedFields(error) })
  }
}

const refused = z.array(z.object({ field: z.string(), accepted: z.string() }))

function refusedFields({ details }: WalletError) {
  return refused.parse(details['fields']).map(({ field, accepted }) => ({
    field: field === 'card' ? 'agentCard' : `agentCard.${field}`,
    message: 'The field is not valid.',
    accepted,
  }))
}

function example() {
  const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
  return { cid, uri: `ipfs://${cid}`, gatewayUrl: `https://gateway.example/ipfs/${cid}` }
}
