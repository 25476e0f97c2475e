import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startAuthorizationServer } from './start-authorization-server.ts'

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>
}

const scopes = ['read:market']
const notFound = (name: string) => async () => {
  throw Object.assign(new Error(`Cannot find package '${name}' imported from /app/main.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
}

describe('an authorization server', () => {
  it('names the one command that installs its package, at the version that is tried here, where it is not there', async () => {
    const command = `npm install oidc-provider@${manifest.devDependencies['oidc-provider']}`
    await expect(startAuthorizationServer({ scopes, load: notFound('oidc-provider') })).rejects.toThrow(
      `is not installed: ${command}`,
    )
    await expect(startAuthorizationServer({ scopes, load: async () => ({}) })).rejects.toThrow(
      `another shape: ${command}`,
    )
    // What it lacks itself is no reason to install it again.
    await expect(startAuthorizationServer({ scopes, load: notFound('koa') })).rejects.toThrow(
      "Cannot find package 'koa'",
    )
  })

  it('gives a machine a token for the resource that it asks for, by its own secret alone, with no scope that is not there', async () => {
    const server = await startAuthorizationServer({ scopes })
    onTestFinished(() => server.stop())
    const ask = async (secret: string, scope: string) => {
      const body = new URLSearchParams({ grant_type: 'client_credentials', resource: 'http://127.0.0.1:9/mcp', scope })
      const authorization = `Basic ${Buffer.from(`${server.machine.clientId}:${secret}`).toString('base64')}`
      const answer = await fetch(server.tokenUrl, { method: 'POST', headers: { authorization }, body })
      return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, string>> }
    }
    const { status, body } = await ask(server.machine.clientSecret, 'read:market')
    expect([status, body['scope'], body['expires_in']]).toEqual([200, 'read:market', 300])
    const [, claims = ''] = (body['access_token'] ?? '').split('.')
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'))).toMatchObject({
      iss: server.issuer,
      aud: 'http://127.0.0.1:9/mcp',
      client_id: 'local-machine',
    })
    expect(await ask('another', 'read:market')).toMatchObject({ status: 401 })
    expect((await ask(server.machine.clientSecret, 'write:trade')).body['scope']).toBeUndefined()
  })
})
