import { inspect } from 'node:util'
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
    Object.getOwnPropertyNames(secret).join(),
  ]) {
    expect(text).not.toContain('canary')
  }
  expect(() => structuredClone(nested)).not.toThrow()
  expect(JSON.stringify(structuredClone(nested))).not.toContain('canary')
})
