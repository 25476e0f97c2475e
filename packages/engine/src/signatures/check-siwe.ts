import { getAddress } from 'viem'
import { createSiweMessage, parseSiweMessage } from 'viem/siwe'
import type { SignatureContext } from './signature-context.ts'

/**
 * A log-in message (EIP-4361) and no other text: in its exact form, for this wallet and chain, at a known domain that
 * this call logs in at, and ending within 15 minutes. Says why not, or `null`.
 */
export function checkSiwe(message: unknown, context: SignatureContext): string | null {
  const { chain, wallet, nowSeconds, siweDomains, grants } = context
  const noLogin = 'Only log-in messages in their exact form are signed, no other text.'
  if (typeof message !== 'string' || message.length > longestMessage || !/^[ -~\n]*$/.test(message)) return noLogin
  const parts = parseSiweMessage(message)
  const { domain, uri, nonce, address, chainId, version, issuedAt, expirationTime, notBefore, requestId } = parts
  if (domain === undefined || uri === undefined || nonce === undefined || address === undefined) return noLogin
  if (chainId === undefined || version !== '1' || issuedAt === undefined || expirationTime === undefined) return noLogin
  if (notBefore !== undefined || requestId !== undefined || parts.resources !== undefined) return noLogin
  if (parts.scheme !== undefined) return noLogin
  const { statement } = parts
  const rebuilt = rebuild({ domain, uri, nonce, address, chainId, version, issuedAt, expirationTime, statement })
  // A second reading of the same text must find nothing that the first has not.
  if (rebuilt !== message) return noLogin
  if (address !== getAddress(wallet)) return 'The log-in is of another wallet.'
  if (chainId !== chain.id) return 'The log-in is bound to another chain.'
  if (!siweDomains.has(domain) || hostOf(uri) !== domain) return 'The log-in is at a domain the policy does not know.'
  const [from, until] = [issuedAt.getTime() / 1000, expirationTime.getTime() / 1000]
  if (!(from <= nowSeconds + clockSkew && until > nowSeconds && until <= nowSeconds + longestLogin)) {
    return 'The log-in can be used for too long, or no longer.'
  }
  const isGranted = grants.some(
    (grant) => grant.kind === 'siwe' && grant.domain === domain && grant.uri === uri && grant.nonce === nonce,
  )
  return isGranted ? null : 'Nobody asked for this log-in.'
}

const longestMessage = 4_096
const longestLogin = 15 * 60
const clockSkew = 60

function rebuild(parts: Parameters<typeof createSiweMessage>[0] | WithUndefined): string | null {
  try {
    const { statement, ...others } = parts
    return createSiweMessage(statement === undefined ? others : { ...others, statement })
  } catch {
    return null
  }
}

type WithUndefined = Omit<Parameters<typeof createSiweMessage>[0], 'statement'> & {
  readonly statement: string | undefined
}

function hostOf(uri: string): string | null {
  return URL.canParse(uri) ? new URL(uri).host : null
}
