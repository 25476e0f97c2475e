import { passkeyOf } from '@svc/engine/policy'
import { expect, it } from 'vitest'
import { makePasskey } from './passkey.fixture.ts'
import { type Assertion, isConfirmed } from './operator-decision.ts'

const origin = 'https://mcp.example.com'
const challenge = Buffer.alloc(32, 7).toString('base64url')
const passkey = makePasskey()
const keyOf = ({ publicKey }: { readonly publicKey: string }) => {
  const key = passkeyOf(publicKey)
  if (key === null) throw new TypeError('no key')
  return key
}
const takes = (assertion: Assertion, key = keyOf(passkey)) => isConfirmed(assertion, { key, challenge, origin })

it('takes what passkeys of both kinds sign for this challenge and origin', () => {
  expect(takes(passkey.confirm({ challenge, origin }))).toBe(true)
  const rsa = makePasskey('rsa')
  expect(takes(rsa.confirm({ challenge, origin }), keyOf(rsa))).toBe(true)
})

it.each<[string, Parameters<typeof passkey.confirm>[1]]>([
  ['another challenge', { said: { challenge: Buffer.alloc(32, 8).toString('base64url') } }],
  ['another origin', { said: { origin: 'https://mcp.example.com.evil.example' } }],
  ['plain http', { said: { origin: 'http://mcp.example.com' } }],
  ['a frame of another origin', { said: { crossOrigin: true } }],
  ['the making of a passkey', { said: { type: 'webauthn.create' } }],
  ['a passkey of another site', { rpId: 'example.com' }],
  ['nobody there', { flags: 0x04 }],
  ['a person who was not recognised', { flags: 0x01 }],
  ['what is no JSON', { clientData: Buffer.from('{') }],
  ['what is no UTF-8', { clientData: Buffer.from([0xff, 0xfe]) }],
])('refuses a signature over %s', (_what, change) => {
  expect(takes(passkey.confirm({ challenge, origin }, change))).toBe(false)
})

it('refuses what another key signed, and what was changed after it', () => {
  const good = passkey.confirm({ challenge, origin })
  expect(takes(good, keyOf(makePasskey()))).toBe(false)
  expect(takes({ ...good, signature: makePasskey().confirm({ challenge, origin }).signature })).toBe(false)
  expect(takes({ ...good, authenticatorData: good.authenticatorData.slice(0, 40) })).toBe(false)
  const flags = Buffer.from(good.authenticatorData, 'base64url')
  flags.writeUInt8(0x45, 32)
  expect(takes({ ...good, authenticatorData: flags.toString('base64url') })).toBe(false)
  expect(takes({ ...good, signature: 'AAAA' })).toBe(false)
})
