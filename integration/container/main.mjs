// The image of the tool server, run as the Dockerfile says in 256 MB: see ./run.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { layImage } from '../../deploy/tool-server/image-tree.mjs'
import { makeRoot, readDockerfile, startContainer } from './container.mjs'

const image = readDockerfile(readFileSync(new URL('../../deploy/tool-server/Dockerfile', import.meta.url), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'svc-container-'))
const root = join(folder, 'image')
const edge = { SVC_TRUSTED_PROXIES: '127.0.0.1' }
const open = []

try {
  await layImage(root)
  requireLittle()
  makeRoot(root)
  await serveHttp()
  await serveStdio()
  await operateBesideIt()
  await startAsRoot()
  console.log('The image of the tool server serves over HTTP and stdio in 256 MB, and nobody can write to it.')
} finally {
  for (const container of open) await container.close()
  rmSync(folder, { recursive: true, force: true })
}

/** Nothing that only development needs, and nothing that others may change. */
function requireLittle() {
  const packages = readdirSync(join(root, 'app/node_modules'), { recursive: true })
  for (const name of ['typescript', 'vitest', '@uniswap', '@svc', 'solc', 'viem'])
    assert(!packages.some((path) => path.split('/').includes(name)), `${name} has no place in the image`)
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const { mode } = statSync(join(entry.parentPath, entry.name))
    assert.equal(mode & 0o022, 0, `${entry.name} can be written to by others`)
  }
  const kib = Number(execFileSync('du', ['-sk', root], { encoding: 'utf8' }).split('\t')[0])
  console.log(`tree: ${(kib / 1024).toFixed(1)} MB beside its base`)
}

async function start(options = {}) {
  const dataDir = options.dataDir ?? newDataDir()
  const container = await startContainer({ root, image, environment: edge, ...options, dataDir })
  open.push(container)
  return { container, dataDir }
}

/** Of the user of the image, and closed to others, as the Dockerfile makes it. */
function newDataDir() {
  const dataDir = mkdtempSync(join(folder, 'data-'))
  chownSync(dataDir, 1000, 1000)
  chmodSync(dataDir, 0o700)
  return dataDir
}

function keyIn(dataDir) {
  return /SVC_API_KEY_WRITE=(\S+)/.exec(readFileSync(join(dataDir, '.env'), 'utf8'))[1]
}

async function serveHttp() {
  const { container, dataDir } = await start()
  await container.said(/svc listens on \S+:3000\//)
  assert.doesNotMatch(container.printed.err, /core dumps:/)
  requireConfined(container)
  const asked = container.ask({ key: keyIn(dataDir), calls: 300 })
  assert.deepEqual([asked.answered, asked.found, asked.legacy, asked.pastTheEdge], [300, 5, 200, 403])
  assert(asked.tools.includes('get_quote') && !asked.tools.includes('execute_swap'))
  requirePictures(container)
  requireFreeProbe(container)
  for (const place of ['/app', '/', '/usr', '/etc'])
    assert.match(container.exec('/usr/bin/touch', `${place}/x`).stderr, /Read-only file system/)
  reportPeak('with 300 calls', container)
  await requireEnd(container)
  assert.equal(container.limit.kills(), 0)
}

/** What was charged to it, and what it had of memory at most with all that it shares. */
function reportPeak(when, container) {
  const resident = Number(/^VmHWM:\s+(\d+) kB$/m.exec(container.status())[1]) / 1024
  const charged = container.limit.mostMb()
  assert(resident < 200, `${resident} MB resident`)
  console.log(`peak ${when}: ${charged.toFixed(0)} of 256 MB charged, ${resident.toFixed(0)} resident`)
}

/** As the user of the image, with no right of root, and no dump of its memory. */
function requireConfined(container) {
  const status = container.status()
  assert.match(status, /^Uid:\t1000\t1000\t1000\t1000$/m)
  assert.match(status, /^Groups:\t ?$/m)
  assert.match(status, /^CapEff:\t0+$/m)
  assert.match(status, /^NSpid:\t\d+\t1$/m)
  assert.equal(container.coreLimit(), '0')
}

/** What draws them loads there, and finds its font. */
function requirePictures(container) {
  const script = `const { Resvg } = require('/app/node_modules/@resvg/resvg-js')
const fontFiles = ['/app/fonts/inter-latin.ttf']
const options = { font: { fontFiles, loadSystemFonts: false, defaultFontFamily: 'Inter' } }
const draw = (text) => new Resvg('<svg xmlns="http://www.w3.org/2000/svg" width="99" height="20"><text y="15">' + text + '</text></svg>', options).render().asPng().length
process.stdout.write(String(draw('svc') > draw('')))`
  const { stdout, stderr } = container.exec('node', '-e', script)
  assert.equal(stdout, 'true', stderr)
  // In a part that server and threads share, so from its folder.
  const parts = readdirSync(join(root, 'app/dist/svc-server')).filter((name) => name.endsWith('.mjs'))
  const texts = parts.map((name) => readFileSync(join(root, 'app/dist/svc-server', name), 'utf8'))
  assert(
    texts.some((text) => text.includes('../../fonts/inter-latin.ttf')),
    'the server looks for its font elsewhere',
  )
}

/** A probe is answered though it comes through no edge, and costs the server next to nothing. */
function requireFreeProbe(container) {
  const before = container.cpuMs()
  const begin = performance.now()
  for (let count = 0; count < 20; count += 1) assert.equal(container.exec('/bin/bash', ...image.probe).status, 0)
  const each = (performance.now() - begin) / 20
  const cost = (container.cpuMs() - before) / 20
  assert(cost < 10, `a probe costs the server ${cost} ms`)
  console.log(
    `a probe: ${cost.toFixed(1)} ms of the server's CPU, ${each.toFixed(0)} ms with the programs that enter the container`,
  )
}

/** SIGTERM to process 1, as a runtime sends it. */
async function requireEnd(container) {
  const begin = performance.now()
  process.kill(container.pid(), 'SIGTERM')
  assert.deepEqual(await container.ended, [0, null])
  const ms = performance.now() - begin
  assert(ms < 5_000, `it took ${ms} ms to end`)
  console.log(`ended ${ms.toFixed(0)} ms after SIGTERM`)
}

async function serveStdio() {
  const { container } = await start({ words: ['--transport', 'stdio'], environment: {} })
  const send = (message) => container.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'container', version: '1' }
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } })
  const answers = () =>
    container.printed.out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const answerTo = async (id) => {
    for (const until = Date.now() + 20_000; Date.now() < until; await new Promise((done) => setTimeout(done, 20))) {
      const answer = answers().find((each) => each.id === id)
      if (answer !== undefined) return answer.result
    }
    throw new Error(`no answer to ${id}: ${container.printed.err}`)
  }
  await answerTo(1)
  requireConfined(container)
  send({ method: 'notifications/initialized' })
  send({ id: 2, method: 'tools/list' })
  send({ id: 3, method: 'tools/call', params: { name: 'search_tokens', arguments: { query: 'usd', limit: 5 } } })
  assert((await answerTo(2)).tools.length > 20)
  assert.equal((await answerTo(3)).structuredContent.items.length, 5)
  const begin = performance.now()
  container.child.stdin.end()
  assert.deepEqual(await container.ended, [0, null])
  console.log(`over stdio: ended ${(performance.now() - begin).toFixed(0)} ms after its client left`)
}

/** A server with a wallet, on SQLite in /data, and the command of whoever operates it. */
async function operateBesideIt() {
  const environment = { ...edge, NODE_ENV: 'development', PRIVATE_KEY: `0x${'11'.repeat(32)}` }
  const { container, dataDir } = await start({ environment })
  await container.said(/svc listens on/)
  assert(container.ask({ key: keyIn(dataDir) }).tools.includes('execute_swap'))
  assert.equal(statSync(join(dataDir, 'state.db')).uid, 1000)
  const svc = (...words) => {
    const { status, stdout, stderr } = container.exec('/app/bin/svc', ...words)
    assert.equal(status, 0, `svc ${words.join(' ')}: ${stdout}${stderr}`)
    return stdout
  }
  assert.match(svc('version'), /^svc \d/)
  svc('pause', '--reason', 'container')
  assert.match(svc('status'), /container/)
  svc('resume')
  svc('audit', 'verify')
  reportPeak('with a wallet', container)
  await requireEnd(container)
}

/** What root has `svc` write is of the user of the image, who has to read it. */
function requireReadableFiles(container, dataDir) {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const passkey = `${'A'.repeat(22)}.${publicKey.export({ format: 'der', type: 'spki' }).toString('base64url')}`
  const added = container.execAsRoot('/app/bin/svc', 'policy', 'add-operator', 'ada', passkey, '--yes')
  assert.equal(added.status, 0, `${added.stdout}${added.stderr}`)
  const policy = statSync(join(dataDir, 'policy.json'))
  assert.deepEqual([policy.uid, policy.gid, policy.mode & 0o777], [1000, 1000, 0o600])
  assert.equal(container.exec('/usr/bin/cat', '/data/policy.json').status, 0)
  for (const name of readdirSync(dataDir)) assert.equal(statSync(join(dataDir, name)).uid, 1000, name)
}

/** As a platform does that mounts volumes as root's: the volume is handed over, and no right of root is left. */
async function startAsRoot() {
  const dataDir = mkdtempSync(join(folder, 'volume-'))
  chmodSync(dataDir, 0o755)
  const { container } = await start({ user: '0:0', dataDir })
  await container.said(/svc listens on/)
  requireConfined(container)
  assert.match(container.status(), /^NoNewPrivs:\t1$/m)
  assert.match(container.status(), /^CapBnd:\t0+$/m)
  assert(existsSync(join(dataDir, '.env')))
  assert.deepEqual([statSync(dataDir).uid, statSync(dataDir).mode & 0o777], [1000, 0o700])
  requireReadableFiles(container, dataDir)
  await requireEnd(container)
}
