import { Secret } from '@svc/wallet/core'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLog } from './log.ts'
import { createRedactor } from './redact.ts'

const privateKey = `0x${'1f'.repeat(32)}`
const appSecret = 'p@ss/word+with=signs'
const redactor = createRedactor([privateKey, appSecret])
const logged = (facts: Readonly<Record<string, unknown>>) => {
  const lines: string[] = []
  createLog({ level: 'info', redactor, destination: { write: (line) => void lines.push(line) } }).info('test', facts)
  return lines.join('')
}

describe('G12: log lines', () => {
  it.each([
    'privateKey',
    'authPrivateKey',
    'ownerPrivateKey',
    'apiSecret',
    'seedPhrase',
    'authorization',
    'walletAppSecret',
    'WALLET_APP_SECRET',
    'rawTransaction',
    'signature',
  ])('hide members named %s, however deep', (name) => {
    expect(logged({ a: { b: [{ [name]: 'canary-value' }] } })).not.toContain('canary-value')
  })

  it('hide a secret that was made after the log was, from then on', () => {
    const lines: string[] = []
    const late = createRedactor([appSecret])
    const log = createLog({ level: 'info', redactor: late, destination: { write: (line) => void lines.push(line) } })
    late.add(privateKey)
    log.info('test', { text: `it is ${privateKey}, beside ${appSecret}` })
    expect(lines.join('')).not.toMatch(new RegExp(`${privateKey}|${appSecret.slice(0, 8)}`))
  })

  it('hide the secrets of this process in whatever spelling', () => {
    const spellings = [
      privateKey,
      privateKey.slice(2),
      privateKey.toUpperCase(),
      appSecret,
      encodeURIComponent(appSecret),
      Buffer.from(appSecret).toString('base64'),
      Buffer.from(appSecret).toString('base64url'),
      Buffer.from(appSecret).toString('hex'),
    ]
    for (const spelling of spellings) expect(logged({ url: `https://x/?k=${spelling}&y=1` })).not.toContain(spelling)
  })

  it.each([
    ['an API key', 'svc_write_Ab3_Ab3_Ab3_Ab3_Ab3_Ab3_Ab3_Ab3_Ab3_Ab3_Ab3'],
    ['a JWT', 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl'],
    ['a header', 'Bearer abcdefghijklmnop'],
    ['credentials in a URL', 'postgres://user:hunter22@db/x'],
    ['a PEM key', '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\n-----END PRIVATE KEY-----'],
  ])('hide %s in any text, also in errors and their causes', (_name, secret) => {
    const error = new Error(`outer ${secret}`, { cause: new Error(`inner ${secret}`) })
    const line = logged({ text: `before ${secret} after`, error })
    expect(line).toContain('[redacted]')
    expect(line).not.toMatch(/Ab3_Ab3_|eyJzdWI|abcdefghijkl|hunter22|MIGHAgEA/)
  })

  it.each([
    ['a key after its name', `private key: 0x${'ca'.repeat(32)}`],
    ['a key in JSON', `{"key":"${'ca'.repeat(32)}"}`],
    ['a mnemonic', `words ${'canary '.repeat(11)}canary.`],
    ['an endpoint with a key in its path', 'HTTP 401 at https://rpc.example/v2/caFe12canary34canary56caca/x'],
    ['an endpoint with a key in its query', 'at wss://rpc.example/?chain=1&apiKey=canarycanary'],
    ['a signed transaction', `sent 0x02f8${'ca'.repeat(90)}`],
    ['the request that sends one', `{"method":"eth_sendRawTransaction","params":["0xf8${'ca'.repeat(90)}"]}`],
    ['a signature', `sig 0x${'ca'.repeat(64)}1b`],
  ])('hide %s', (_name, text) => {
    for (const line of [logged({ text }), JSON.stringify(redactor.scrub({ deep: [text] }))]) {
      expect(line).toContain('[redacted]')
      expect(line).not.toMatch(/caca|canary/i)
    }
  })

  it.each([
    `https://explorer.example/tx/0x${'ab'.repeat(32)}`,
    `https://explorer.example/address/0x${'ab'.repeat(20)}?chain=1`,
    `the transaction 0x${'ab'.repeat(32)} was mined`,
    'the wallet holds less native currency than the call sends and so nothing was signed at all',
  ])('show %s', (text) => {
    expect(redactor.text(text)).toBe(text)
  })

  it('hide headers in whatever capitals, and members of nested arrays', () => {
    const line = logged({
      headers: { Authorization: 'canary-1', 'X-Api-Key': 'canary-2' },
      list: [[{ Cookie: 'canary-3' }]],
    })
    expect(line).not.toContain('canary')
  })

  it('keep a record whole while they hide what is secret in it', () => {
    const long = { data: `0x${'ab'.repeat(5_000)}`, list: Array.from({ length: 100 }, () => privateKey) }
    expect(redactor.scrub(long)).toEqual({ data: long.data, list: long.list.map(() => '[redacted]') })
  })

  it('show transaction hashes and addresses', () => {
    const hash = `0x${'ab'.repeat(32)}`
    expect(logged({ txHash: hash, to: '0x0000000000000000000000000000000000000001' })).toContain(hash)
  })

  it('take anything a caller may send', () => {
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    expect(
      logged({
        loop,
        big: 1n,
        secret: new Secret('canary-value'),
        long: 'x'.repeat(10_000),
        list: Array(1_000).fill('y'),
      }).length,
    ).toBeLessThan(4_000)
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (value) => {
        expect(JSON.parse(logged({ value }))).toMatchObject({ event: 'test' })
      }),
    )
  })

  it('never hold a secret of this process, wherever it stands', () => {
    const around = fc.string({ maxLength: 40 })
    fc.assert(
      fc.property(around, around, fc.constantFrom(privateKey, appSecret), (before, after, secret) => {
        expect(logged({ [before]: [{ after: before + secret + after }] }).includes(secret)).toBe(false)
      }),
    )
  })
})
