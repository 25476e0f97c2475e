import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect, it } from 'vitest'
import { passkeyOf } from './policy-values.ts'
import { parsePolicy } from './policy.ts'

const spkiOf = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).toString('base64url')
const ecKey = () => spkiOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)
const rsaKey = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).publicKey
const sound = rsaKey(2_048)
/** The same modulus with another exponent. */
const withExponent = (...bytes: readonly number[]) =>
  spkiOf(
    createPublicKey({
      key: { ...sound.export({ format: 'jwk' }), e: Buffer.from(bytes).toString('base64url') },
      format: 'jwk',
    }),
  )

it('takes keys of P-256, and of RSA from 2048 bits with an odd exponent from 3', () => {
  for (const key of [ecKey(), spkiOf(sound), withExponent(3)]) expect(passkeyOf(key)).not.toBeNull()
})

it.each([
  ['an exponent of 1, with which anybody signs', () => withExponent(1)],
  ['an exponent of 2', () => withExponent(2)],
  ['an even exponent', () => withExponent(1, 0, 0)],
  ['1024 bits', () => spkiOf(rsaKey(1_024))],
  ['2040 bits', () => spkiOf(rsaKey(2_040))],
  ['another curve', () => spkiOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey)],
  ['another kind', () => spkiOf(generateKeyPairSync('ed25519').publicKey)],
])('refuses %s', (_what, key) => {
  expect(passkeyOf(key())).toBeNull()
})

const passkeys = (...keys: readonly [letter: string, publicKey: string][]) => ({
  passkeys: keys.map(([letter, publicKey]) => ({ id: letter.repeat(22), publicKey })),
})
const named = (operators: unknown) => () => parsePolicy({ operators }, { production: false })
const once = expect.objectContaining({
  code: 'VALIDATION_FAILED',
  details: [expect.objectContaining({ field: 'operators', message: expect.stringContaining('each public key once') })],
})

it('takes a public key once: not under another id, name, or spelling', () => {
  const [key, other] = [ecKey(), ecKey()]
  expect(named({ ada: passkeys(['A', key], ['B', other]) })).not.toThrow()
  expect(named({ ada: passkeys(['A', key], ['B', key]) })).toThrow(once)
  expect(named({ ada: passkeys(['A', key]), eve: passkeys(['B', key]) })).toThrow(once)
  expect(named({ ada: passkeys(['A', key]), eve: passkeys(['A', other]) })).toThrow(once)
  // The last letter holds bits that no byte takes.
  const spelt = `${key.slice(0, -1)}${String.fromCharCode(key.charCodeAt(key.length - 1) + 1)}`
  expect(spelt).not.toBe(key)
  expect(Buffer.from(spelt, 'base64url')).toEqual(Buffer.from(key, 'base64url'))
  expect(named({ ada: passkeys(['A', key], ['B', spelt]) })).toThrow(once)
})
