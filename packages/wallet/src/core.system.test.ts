import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

// A process that only reads must not hold code that can sign, so it is looked at from outside: what does Node load?
test('what readers import loads no signer; the wallet does', async () => {
  const loaded = await loadedBy('../dist/core.js')
  expect(signing.filter((part) => loaded.includes(part))).toEqual([])
  const whole = await loadedBy('../dist/service-wallet.js')
  expect(signing.filter((part) => whole.includes(part))).toEqual(signing)
})

test('what a call needs and an import does not is loaded by the call', async () => {
  const loaded = await loadedBy('../dist/index.js')
  const lazy = [
    '/gas/',
    '/registration/run-',
    '/card/pin-card',
    '@privy-io',
    '@ethereumjs',
    'account-abstraction',
    'agent0-sdk',
  ]
  expect(lazy.filter((part) => loaded.includes(part))).toEqual([])
})

const signing = ['privateKeyToAccount', '/wallet/dist/signers/', '/wallet/dist/service-wallet.js']

async function loadedBy(path: string): Promise<string> {
  const hook = `import { writeSync } from 'node:fs'
export async function load(url, context, next) { writeSync(1, url + '\\n'); return next(url, context) }`
  const program = `import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}))
await import(${JSON.stringify(new URL(path, import.meta.url).href)})`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    maxBuffer: 16 * 1024 * 1024,
  })
  expect(stdout).toContain('/wallet/dist/')
  return stdout
}
