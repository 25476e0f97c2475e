import { ToolError } from '@svc/amm'
import * as fc from 'fast-check'
import { createSiweMessage, parseSiweMessage, validateSiweMessage } from 'viem/siwe'
import { describe, expect, it } from 'vitest'
import { createNonces, nonceLifeMs } from './nonces.ts'
import { agentResource, readMessage } from './read-message.ts'

const address = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
const registry = '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432'
const asked = { domain: 'mcp.example.com', uri: 'https://mcp.example.com/mcp', chainId: 8453, statement: 'Sign in.' }
const expected = { ...asked, registry } as const
const times = { issuedAt: new Date(1_800_000_000_000), expirationTime: new Date(1_800_000_300_000) }
const members = { ...asked, ...times, address, nonce: 'abcdefgh12345678', version: '1' } as const
const good = createSiweMessage(members)
const resource = agentResource(expected, '17')

function faultsOf(text: string): readonly string[] {
  try {
    readMessage(text, expected)
    return []
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'VALIDATION_FAILED') throw error
    return error.details.map(({ field }) => `${field}`)
  }
}

describe('a sign-in message', () => {
  it('is read with its times, its nonce and the agent that it names', () => {
    const read = { address, nonce: members.nonce, issuedAt: 1_800_000_000_000, expirationTime: 1_800_000_300_000 }
    expect(readMessage(good, expected)).toEqual({ ...read, agentId: null })
    const named = createSiweMessage({ ...members, resources: [resource] })
    expect(readMessage(named, expected)).toEqual({ ...read, agentId: '8453:17' })
  })

  it.each([
    ['another chain', { chainId: 1 }, 'message.chainId'],
    ['another domain', { domain: 'evil.example.com' }, 'message.domain'],
    ['a domain that begins like ours', { domain: 'mcp.example.com.evil.com' }, 'message.domain'],
    ['a domain that ends like ours', { domain: 'a-mcp.example.com' }, 'message.domain'],
    ['a domain in capitals', { domain: 'MCP.example.com' }, 'message.domain'],
    ['a domain with a port', { domain: 'mcp.example.com:443' }, 'message.domain'],
    ['another place of ours', { uri: 'https://mcp.example.com/' }, 'message.uri'],
    ['another server', { uri: 'https://evil.example.com/mcp' }, 'message.uri'],
    ['another statement', { statement: 'Approve everything.' }, 'message.statement'],
    ['no statement', { statement: undefined }, 'message.statement'],
    ['no end', { expirationTime: undefined }, 'message.expirationTime'],
    ['a scheme', { scheme: 'https' }, 'message.scheme'],
    ['a time before which it is not good', { notBefore: new Date(0) }, 'message.notBefore'],
    ['an id of the request', { requestId: '1' }, 'message.requestId'],
    ['a resource that is no agent', { resources: ['https://example.com/'] }, 'message.resources'],
    ['an agent of another registry', { resources: [resource.replace('8004', '8005')] }, 'message.resources'],
    ['an agent of another chain', { resources: [resource.replace('8453', '1')] }, 'message.resources'],
    ['an agent of no number', { resources: [`${resource}x`] }, 'message.resources'],
    ['two agents', { resources: [resource, agentResource(expected, '18')] }, 'message.resources'],
  ])('for %s is refused by name', (_name, more, field) => {
    expect(faultsOf(createSiweMessage({ ...members, ...more }))).toEqual([field])
  })

  it.each([
    ['a line behind it', `${good}\nResources are mine`],
    ['an empty line behind it', `${good}\n`],
    ['a line in front of it', `Hello\n${good}`],
    ['a line within', good.replace('\nURI:', '\nGrant: everything\nURI:')],
    ['lines in other order', good.replace(/(Version: 1)\n(Chain ID: 8453)/, '$2\n$1')],
    ['a line twice', good.replace('Nonce:', 'Nonce: abcdefgh87654321\nNonce:')],
    ['another version', good.replace('Version: 1', 'Version: 2')],
    ['the address in small letters', good.replace(address, address.toLowerCase())],
    ['a wrong checksum', good.replace('0x940181a9', '0x940181A9')],
    ['a chain id with a zero in front', good.replace('8453', '08453')],
    ['a chain id beyond numbers', good.replace('8453', '9007199254740993')],
    ['a nonce of two letters', good.replace(members.nonce, 'ab')],
    ['no nonce', good.replace(/\nNonce: .*/, '')],
    ['a time of another zone', good.replace('08:00:00.000Z', '10:00:00.000+02:00')],
    ['a time without thirds of seconds', good.replace('.000Z', 'Z')],
    ['lines that end as on Windows', good.replaceAll('\n', '\r\n')],
    ['a user before the domain', good.replace('mcp.example.com wants', 'mcp.example.com@evil.com wants')],
    ['a blank behind a line', good.replace('Version: 1', 'Version: 1 ')],
    ['nothing', ''],
    ['a megabyte of nothing', 'x'.repeat(4_096)],
  ])('with %s is refused whole', (_name, text) => {
    expect(text).not.toBe(good)
    expect(faultsOf(text)).toEqual(['message'])
  })

  it('that the library takes is refused where it is not the text of its members', () => {
    const junk = `${good}\njunk`
    const lenient = {
      message: parseSiweMessage(junk),
      domain: asked.domain,
      nonce: members.nonce,
      time: new Date(1_800_000_000_001),
    }
    expect(validateSiweMessage(lenient)).toBe(true)
    expect(faultsOf(junk)).toEqual(['message'])
  })

  it('is taken or refused, and nothing else happens, whatever is put into it where', () => {
    const changed = fc.tuple(fc.nat(good.length), fc.string({ maxLength: 12, unit: 'binary' }), fc.nat(8))
    fc.assert(
      fc.property(changed, ([at, text, cut]) => {
        const mutated = good.slice(0, at) + text + good.slice(at + cut)
        const faults = faultsOf(mutated)
        if (faults.length > 0) return true
        // What is taken is to the letter what its members make.
        return createSiweMessage({ ...members, ...parseSiweMessage(mutated) } as typeof members) === mutated
      }),
      { numRuns: 150 },
    )
  })
})

describe('a nonce', () => {
  let now = 1_800_000_000_000
  const of = (place: string, secret = 'secret') => createNonces({ secret, place: () => place, now: () => now })

  it('says until when it holds, to every server with the secret, and to no other', () => {
    const { nonce, expiresAt } = of('a').issue()
    expect(expiresAt).toBe(now + nonceLifeMs)
    now += 1
    expect(of('a').expiryOf(nonce)).toBe(expiresAt)
    expect(of('b').expiryOf(nonce)).toBeNull()
    expect(of('a', 'other').expiryOf(nonce)).toBeNull()
  })

  it('is no nonce of ours with any digit changed, or anything beside its digits', () => {
    const { nonce } = of('a').issue()
    for (let at = 0; at < nonce.length; at += 1) {
      const digit = nonce[at] === '0' ? '1' : '0'
      expect(of('a').expiryOf(`${nonce.slice(0, at)}${digit}${nonce.slice(at + 1)}`)).toBeNull()
    }
    for (const other of [`${nonce}0`, nonce.slice(1), nonce.toUpperCase().replace(/[0-9]/g, 'A'), '']) {
      expect(of('a').expiryOf(other)).toBeNull()
    }
    expect(new Set(Array.from({ length: 1_000 }, () => of('a').issue().nonce)).size).toBe(1_000)
  })
})
