import { expect, test } from 'vitest'
import { loadIdentitySdk } from './register-through-sdk.ts'
import type { RegistrationContext } from './registration-context.ts'

const from = 'imported from /app/node_modules/agent0-sdk/dist/index.js'

test.each([
  ['package', "Cannot find package 'agent0-sdk' imported from /app/main.js"],
  ['module', "Cannot find module 'agent0-sdk' imported from /app/main.js"],
])('a %s that is not there is not installed, and no warning', async (_what, message) => {
  const { sdk, attempts, warnings } = await loaded(notFound(message))
  expect([sdk, warnings]).toEqual([null, []])
  expect(attempts).toEqual([
    { kind: 'registration', tier: 'sdk-ipfs', outcome: 'skipped', reason: 'The identity SDK is not installed.' },
  ])
})

test.each<[string, Error, string]>([
  ['lacks a package', notFound(`Cannot find package 'multiformats' ${from}`), "Cannot find package 'multiformats'"],
  ['lacks a module', notFound(`Cannot find module '/app/node_modules/agent0-sdk/dist/x.js' ${from}`), 'dist/x.js'],
  ['lacks one of its family', notFound(`Cannot find package 'agent0-sdk-core' ${from}`), "'agent0-sdk-core'"],
  ['breaks', new SyntaxError('Unexpected token\nat line 1'), 'Unexpected token.'],
])('an SDK that %s is a warning that says why', async (_what, error, said) => {
  const { sdk, attempts, warnings } = await loaded(error)
  expect([sdk, warnings]).toEqual([null, [expect.stringContaining(said)]])
  expect(attempts).toMatchObject([{ outcome: 'failed', code: 'IDENTITY_SDK_FAILED' }])
  expect(attempts[0]?.reason).toContain(said)
})

async function loaded(failure: Error) {
  const context = { options: { loadIdentitySdk: () => Promise.reject(failure) }, attempts: [], warnings: [] }
  const { attempts, warnings } = context as Pick<RegistrationContext, 'attempts' | 'warnings'>
  return { sdk: await loadIdentitySdk(context, 'proxy'), attempts, warnings }
}

function notFound(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' })
}
