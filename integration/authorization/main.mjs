// Clients get tokens of the real authorization server that `svc up --oauth` starts: a machine, a person in a real browser, and the SDK's own client,
// which asks for more by itself when a call needs it. Says what came of it, and exits 1 when anything failed.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import chromium from '@sparticuz/chromium'
import { chromium as browsers } from 'playwright-core'
import { openLocalWorld } from '../mcp/local-world.mjs'

const revision = '2026-07-28'
const _meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'svc-integration', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const listTools = { method: 'tools/list', params: { _meta } }
const swap = {
  method: 'tools/call',
  params: {
    name: 'execute_swap',
    arguments: { chain: 'local', tokenIn: 'USDC', tokenOut: 'WETH', amount: '10', dryRun: true },
  },
}

const started = performance.now()
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)))
const closers = []
let failures = 0
try {
  const world = await openWorld()
  await asMachine(world)
  await asPerson(world)
  await bySdk(world)
} catch (error) {
  failures += 1
  console.log(`FAIL  ${error.stack}`)
} finally {
  for (const close of closers.reverse()) await close()
}
const seconds = Math.round((performance.now() - started) / 1000)
console.log(`${failures === 0 ? 'Tokens are had and taken as they should be' : `${failures} failed`}, ${seconds} s`)
process.exitCode = failures === 0 ? 0 : 1

async function step(name, check) {
  try {
    await check()
    console.log(`ok    ${name}`)
  } catch (error) {
    failures += 1
    console.log(`FAIL  ${name}\n${error.stack}`)
  }
}

async function openWorld() {
  const world = await openLocalWorld(stop.signal, ['--oauth'])
  closers.push(async () => {
    const left = await world.close()
    if (left.length > 0) throw new Error(`svc up left processes behind: ${left.join(', ')}`)
  })
  const callback = await openCallback()
  closers.push(() => callback.close())
  return { url: world.ready.mcp.url, server: world.ready.oauth, callback }
}

/** Client credentials (RFC 6749) with a resource indicator (RFC 8707). */
async function asMachine({ url, server }) {
  const authorization = `Basic ${Buffer.from(`${server.machine.clientId}:${server.machine.clientSecret}`).toString('base64')}`
  const tokenFor = (params) => askToken(server, { grant_type: 'client_credentials', ...params }, { authorization })
  await step('the challenge leads to the metadata, and that to the authorization server', async () => {
    const challenge = (await post(url, listTools)).headers.get('www-authenticate')
    const metadata = await fetch(/resource_metadata="([^"]+)"/.exec(challenge)[1]).then((answer) => answer.json())
    assert.deepEqual([metadata.resource, metadata.authorization_servers], [url, [server.issuer]])
  })
  await step('a machine gets a token for this server, and reads with it', async () => {
    const { access_token: token } = await tokenFor({ resource: url, scope: 'read:market' })
    assert.deepEqual([decodeProtectedHeader(token).typ, decodeJwt(token).aud], ['at+jwt', url])
    assert.equal((await post(url, listTools, token)).status, 200)
    const refused = await post(url, swap, token)
    assert.equal(refused.status, 403)
    assert.match(refused.headers.get('www-authenticate'), /error="insufficient_scope".*scope="write:trade"/)
  })
  await step('a token for another server, and one for none, are refused', async () => {
    const { access_token: other } = await tokenFor({ resource: 'https://other.example.com/mcp', scope: 'read:market' })
    const { access_token: opaque } = await tokenFor({})
    for (const token of [other, opaque]) assert.equal((await post(url, listTools, token)).status, 401)
  })
}

/** The code of a person who signs in with a real browser, with PKCE (RFC 7636), and the renewal of what comes of it. */
async function asPerson({ url, server, callback }) {
  const { clientId } = server.program
  const redirectUri = callback.url
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(16).toString('base64url')
  const ask = new URL(`${server.issuer}/auth`)
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const params = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    resource: url,
    state,
    prompt: 'consent',
  }
  const pkce = {
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: 'read:market read:portfolio offline_access',
  }
  ask.search = new URLSearchParams({ ...params, ...pkce }).toString()
  let code
  let tokens
  await step('a person signs in and consents in a real browser, and the code comes back', async () => {
    const answered = await inBrowser(ask.href, callback)
    assert.deepEqual([answered.get('state'), answered.get('iss')], [state, server.issuer])
    code = answered.get('code')
    assert.ok(code)
  })
  const exchange = (code_verifier) =>
    askToken(server, {
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirectUri,
      resource: url,
      code,
      code_verifier,
    })
  await step('the code is worth a token to whoever has the verifier, which reads', async () => {
    tokens = await exchange(verifier)
    assert.equal(decodeJwt(tokens.access_token).aud, url)
    assert.equal((await post(url, listTools, tokens.access_token)).status, 200)
  })
  await step('a refreshed token is taken, and is the same caller', async () => {
    const fresh = await askToken(server, {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: tokens.refresh_token,
      resource: url,
    })
    assert.notEqual(fresh.access_token, tokens.access_token)
    assert.equal(decodeJwt(fresh.access_token).sub, decodeJwt(tokens.access_token).sub)
    assert.equal((await post(url, listTools, fresh.access_token)).status, 200)
  })
  await step('what is for the client (an id token, a refresh token) is no access token', async () => {
    for (const token of [tokens.id_token, tokens.refresh_token]) {
      if (token !== undefined) assert.equal((await post(url, listTools, token)).status, 401)
    }
  })
}

/** The SDK's client finds everything out from the first 401, and asks for more when a call needs it. */
async function bySdk({ url, server }) {
  for (const era of ['modern', 'legacy']) {
    await step(`the SDK's client steps up by itself and plans a swap (${era} era)`, async () => {
      const authProvider = new ClientCredentialsProvider({ ...server.machine, expectedIssuer: server.issuer })
      const client = new Client(
        { name: 'svc-integration', version: '1' },
        era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {},
      )
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }))
      const scopes = () => decodeJwt(authProvider.tokens().access_token).scope
      assert.equal(scopes(), 'read:market read:portfolio')
      const answer = await client.callTool(swap.params)
      assert.equal(answer.isError ?? false, false, JSON.stringify(answer.content))
      assert.match(scopes(), /write:trade/)
      await client.close()
    })
  }
}

async function inBrowser(url, callback) {
  const unwanted = new Set([
    '--disable-web-security',
    '--no-zygote',
    '--single-process',
    '--allow-running-insecure-content',
  ])
  const browser = await browsers.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args.filter((argument) => !unwanted.has(argument)), '--no-sandbox'],
    headless: true,
  })
  try {
    const page = await browser.newPage()
    await page.goto(url)
    await page.fill('input[name=login]', 'a-person')
    await page.fill('input[name=password]', 'any')
    await page.click('button[type=submit]')
    await page.waitForSelector('input[name=prompt][value=consent]', { state: 'attached' })
    await page.click('button[type=submit]')
    return await callback.answered
  } finally {
    await browser.close()
  }
}

/** Where the browser is sent back to: the program's place on this machine, at a port that was free. */
async function openCallback() {
  let settle
  const answered = new Promise((resolve) => (settle = resolve))
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1')
    if (pathname === '/callback') settle(searchParams)
    response.end('Done.')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${server.address().port}/callback`, answered, close }
}

async function askToken({ tokenUrl }, params, headers = {}) {
  const answer = await fetch(tokenUrl, { method: 'POST', headers, body: new URLSearchParams(params) })
  const body = await answer.json()
  assert.equal(answer.status, 200, JSON.stringify(body))
  return body
}

function post(url, { method, params }, token) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const named = params.name === undefined ? {} : { 'mcp-name': params.name }
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...named,
    ...authorization,
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })
  return fetch(url, { method: 'POST', headers, body })
}

/** Read, not verified: that is the server's. */
function partOf(token, index) {
  return JSON.parse(Buffer.from(token.split('.')[index], 'base64url').toString())
}

function decodeProtectedHeader(token) {
  return partOf(token, 0)
}
function decodeJwt(token) {
  return partOf(token, 1)
}
