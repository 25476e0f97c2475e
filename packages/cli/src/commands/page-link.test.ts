import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { usePageLink } from '../../../tool-server/src/operator/page-link.ts'
import { openDirectory } from '../../../tool-server/src/operator/operations.fixture.ts'
import { callCommand } from '../calls.fixture.ts'

let place: Awaited<ReturnType<typeof openDirectory>>
beforeEach(async () => {
  place = await openDirectory()
})
afterEach(() => place.store.close())

const on = { SVC_OPERATOR_PAGE: 'on', PRIVATE_KEY: `0x${'11'.repeat(32)}`, SVC_LISTEN: '127.0.0.1:3123' }
const svc = (words: readonly string[], settings: Readonly<Record<string, string>> = {}) =>
  callCommand(['status', ...words, '--data-dir', place.dataDir], { ...on, ...settings })
const link = () => join(place.dataDir, 'operator-link.json')

it('prints a link that opens the page once, and leaves no more than its digest', async () => {
  const shown = await svc(['--page'])
  expect([shown.code, shown.stderr]).toEqual([0, ''])
  const [, token = ''] = /^ {2}http:\/\/127\.0\.0\.1:3123\/operator\?token=([\w-]{43})$/m.exec(shown.stdout) ?? []
  expect(statSync(link()).mode & 0o777).toBe(0o600)
  expect(readFileSync(link(), 'utf8')).not.toContain(token)
  expect(usePageLink(place.dataDir, 'another', Date.now())).toBe(false)
  expect(usePageLink(place.dataDir, token, Date.now())).toBe(true)
  expect([usePageLink(place.dataDir, token, Date.now()), existsSync(link())]).toEqual([false, false])
  const { url } = JSON.parse((await svc(['--page', '--json'])).stdout) as { readonly url: string }
  expect(usePageLink(place.dataDir, new URL(url).searchParams.get('token') ?? '', Date.now())).toBe(true)
})

it.each([
  [{ SVC_OPERATOR_PAGE: 'off' }, [], 1, 'Set SVC_OPERATOR_PAGE=on'],
  [{ SVC_LISTEN: '127.0.0.1:0' }, [], 1, 'SVC_LISTEN=127.0.0.1:PORT'],
  [
    { SVC_PUBLIC_URL: 'https://mcp.example.com/mcp', SVC_TRUSTED_PROXIES: '10.0.0.1' },
    [],
    1,
    'https://mcp.example.com/operator, where a passkey opens it',
  ],
  [{}, ['--positions'], 2, 'leave --positions and --wallet out'],
] as const)('with %j %j says what to do, and leaves no link', async (settings, words, code, message) => {
  const refused = await svc(['--page', ...words], settings)
  expect([refused.code, refused.stdout]).toEqual([code, ''])
  expect(refused.stderr).toContain(message)
  expect(existsSync(link())).toBe(false)
})
