import { ToolError, type ErrorDetail } from '@svc/amm'
import type { Address } from 'viem'
import { createSiweMessage, parseSiweMessage, type SiweMessage } from 'viem/siwe'
import type { Challenge } from './sign-in.ts'

/**
 * Reads a sign-in message (EIP-4361) that answers a challenge. The library's parser takes what it knows out of any text, so the message has to
 * be the very text that its members make; and every member has to be the challenge's own. Beside those it may name one agent as a resource.
 * Throws `VALIDATION_FAILED` naming each member.
 *
 * @param expected the members of every challenge of this server; times and nonce are the message's own
 */
export function readMessage(text: string, expected: ExpectedMessage): SignInMessage {
  const message = parsed(text)
  if (message === null) {
    const accepted =
      'an EIP-4361 message to the letter: checksummed address, times as toISOString writes them, nothing else'
    throw invalid([{ field: 'message', message: `accepted: ${accepted}` }])
  }
  const faults = faultsOf(message, expected)
  if (faults.length > 0) throw invalid(faults)
  const { address, nonce, issuedAt, expirationTime, resources = [] } = message
  if (issuedAt === undefined || expirationTime === undefined) throw new TypeError('A time is missing.')
  const agentId = resources.length === 0 ? null : agentIdOf(resources[0] ?? '', expected)
  return { address, nonce, issuedAt: issuedAt.getTime(), expirationTime: expirationTime.getTime(), agentId }
}

export type ExpectedMessage = Pick<Challenge, 'domain' | 'uri' | 'chainId' | 'statement'> & {
  readonly registry: Address
}

export type SignInMessage = {
  readonly address: Address
  readonly nonce: string
  /** Unix milliseconds, as is the other. */
  readonly issuedAt: number
  readonly expirationTime: number
  /** The agent as which it asks to be known, `<chainId>:<tokenId>`, or `null`. */
  readonly agentId: string | null
}

/** How a message names an agent: its token in the registry (CAIP-22). */
export function agentResource(
  { chainId, registry }: Pick<ExpectedMessage, 'chainId' | 'registry'>,
  tokenId: string,
): string {
  return `eip155:${chainId}/erc721:${registry}/${tokenId}`
}

function parsed(text: string): SiweMessage | null {
  try {
    const message = parseSiweMessage(text) as SiweMessage
    return createSiweMessage(message) === text ? message : null
  } catch {
    return null
  }
}

function faultsOf(message: SiweMessage, expected: ExpectedMessage): readonly ErrorDetail[] {
  const { domain, uri, chainId, statement } = expected
  const exact = Object.entries({ domain, uri, chainId, statement }).filter(
    ([name, value]) => message[name as 'domain'] !== value,
  )
  const needless = (['scheme', 'notBefore', 'requestId'] as const).filter((name) => message[name] !== undefined)
  const { resources = [], expirationTime } = message
  const isAgent = resources.length === 0 || (resources.length === 1 && agentIdOf(resources[0] ?? '', expected) !== null)
  return [
    ...exact.map(([name, value]) => ({ field: `message.${name}`, message: `accepted: ${value}`, accepted: value })),
    ...needless.map((name) => ({ field: `message.${name}`, message: 'accepted: nothing; leave the line out' })),
    ...(expirationTime === undefined
      ? [{ field: 'message.expirationTime', message: 'accepted: that of the challenge' }]
      : []),
    ...(isAgent
      ? []
      : [
          {
            field: 'message.resources',
            message: `accepted: none, or one agent as ${agentResource(expected, '<tokenId>')}`,
          },
        ]),
  ]
}

function agentIdOf(resource: string, place: ExpectedMessage): string | null {
  const start = agentResource(place, '')
  const tokenId = resource.startsWith(start) ? resource.slice(start.length) : ''
  return /^(0|[1-9]\d{0,77})$/.test(tokenId) && BigInt(tokenId) < 2n ** 256n ? `${place.chainId}:${tokenId}` : null
}

function invalid(details: readonly ErrorDetail[]): ToolError {
  return new ToolError('VALIDATION_FAILED', 'The sign-in message does not answer the challenge of this server.', {
    details,
    suggestion: 'Sign the challenge of a 401 answer of /mcp as it is, with the address of the wallet added.',
  })
}
