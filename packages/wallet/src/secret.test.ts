import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { format, inspect } from 'node:util'
import { serialize } from 'node:v8'
import { expect, test } from 'vitest'
import { Secret } from './secret.ts'

test('gives the secret to reveal alone', () => {
  const secret = new Secret('canary-value')
  expect(secret.reveal()).toBe('canary-value')
  const nested = { deep: [secret] }
  for (const text of [
    String(secret),
    JSON.stringify(nested),
    inspect(nested, { showHidden: true, depth: 9 }),
    'secret: '.concat(String(secret)),
    format('%s %o %j', secret, secret, secret),
    inspect(new Error('failed', { cause: secret })),
    inspect(Object.assign(new Error('failed'), { secret })),
    tableOf(nested),
    serialize(nested).toString('latin1'),
    inspect(Object.assign({}, secret)),
    Object.getOwnPropertyNames(secret).join(),
  ]) {
    expect(text).not.toContain('canary')
  }
  expect(() => structuredClone(nested)).not.toThrow()
  expect(JSON.stringify(structuredClone(nested))).not.toContain('canary')
})

function tableOf(value: object): string {
  let text = ''
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  new Console({ stdout }).table([value])
  return text
}
