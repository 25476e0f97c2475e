// Packs @svc/wallet and @svc/test-utils, installs the tarballs outside of the workspace, type-checks and runs a consumer
// with and without the identity SDK, says what came of it, and exits 1 when anything failed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { startDevnet } from '@svc/devnet'

const packages = fileURLToPath(new URL('../../packages/', import.meta.url))
const consumer = fileURLToPath(new URL('consumer/', import.meta.url))
const guide = fileURLToPath(new URL('../../docs/wallet.md', import.meta.url))
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
/** What the README tells those to do who want the identity SDK without the tree of a whole IPFS node. */
const overrides = {
  'agent0-sdk': {
    '@helia/unixfs': 'npm:empty-npm-package@1.0.0',
    helia: 'npm:empty-npm-package@1.0.0',
    'kubo-rpc-client': 'npm:empty-npm-package@1.0.0',
  },
}

/** A program that is not done by then hangs: the longest takes some 20 s. */
const patienceS = 180

/** A packed identity SDK that the registry does not offer. */
const otherSdk = process.argv[2]

/** The oldest viem that the packages take. */
const oldest = oldestOf('viem')

const started = performance.now()
const folder = await mkdtemp(join(tmpdir(), 'svc-packages-'))
const project = join(folder, 'project')
const devnet = await startDevnet({ history: false })
let failures = 0
try {
  await prove()
} catch (error) {
  failures += 1
  console.log(`FAIL  ${error.stack}`)
} finally {
  await devnet.stop()
  await rm(folder, { recursive: true, force: true })
}
const seconds = Math.round((performance.now() - started) / 1000)
console.log(`${failures === 0 ? 'The packages install and run as published' : `${failures} failed`}, ${seconds} s`)
process.exitCode = failures === 0 ? 0 : 1

async function prove() {
  const tarballs = {}
  for (const name of ['wallet', 'test-utils']) {
    await step(`${name} packs what its manifest names, and no test`, async () => (tarballs[name] = await pack(name)))
  }
  await mkdir(project)
  await describeProject({})
  await step('plain npm install takes the wallet alone, with one viem, and each entry loads', async () => {
    await npm('install', tarballs.wallet)
    assert.deepEqual([await versionsOf('viem'), await versionsOf('ox')], [['2.57.1'], ['0.14.45']])
    for (const entry of ['', '/core', '/service-wallet', '/testing']) {
      await run(process.execPath, ['--input-type=module', '-e', `await import('@svc/wallet${entry}')`])
    }
    console.log(`      ${await sizeOf(join(project, 'node_modules'))} MB installed without optional peers`)
  })
  await step('plain npm install takes the test package and an older compiler beside it', () =>
    npm('install', tarballs['test-utils'], 'typescript@5.9.3', '@types/node@20.19.43'),
  )
  await cp(consumer, project, { recursive: true })
  await writeFile(join(project, 'guide.ts'), await snippetsOf(guide))
  const older = join(project, 'node_modules/typescript/bin/tsc')
  for (const [name, tsc] of Object.entries({ 'TypeScript 7': compiler, 'TypeScript 5.9': older })) {
    for (const resolution of ['nodenext', 'bundler']) {
      await step(`the consumer and the guide type-check under ${name}, ${resolution}, libraries included`, () =>
        run(process.execPath, [tsc, '-p', `tsconfig.${resolution}.json`]),
      )
    }
  }
  await step('an older program can require them', async () => {
    const { types, chains } = await run(process.execPath, ['--no-warnings', 'consumer.cjs'])
    assert.deepEqual(types, ['function', 'function', 'function'])
    assert.equal(chains, 13)
  })
  await step('it runs, and registers by the registry itself', () => runConsumer('plain', 'direct-contract'))
  await describeProject({ overrides })
  await npm('install', 'agent0-sdk@1.7.1')
  await step('with the identity SDK there is still one viem', async () =>
    assert.deepEqual(await versionsOf('viem'), ['2.57.1']),
  )
  await step('it runs, and registers through the identity SDK', () => runConsumer('sdk', 'sdk-inline'))
  await npm('install', `viem@${oldest}`)
  await step(`an application that holds viem ${oldest} keeps it, and no other comes`, async () =>
    assert.deepEqual(await versionsOf('viem'), [oldest]),
  )
  await step('the consumer type-checks and registers with it', async () => {
    await run(process.execPath, [older, '-p', 'tsconfig.nodenext.json'])
    await runConsumer('oldest', 'sdk-inline')
  })
  const sdk = await lowestOffered('agent0-sdk')
  await npm('install', `agent0-sdk@${sdk}`)
  await step(`identity SDK ${sdk}, the lowest of the range that the registry has, beside viem ${oldest}`, async () =>
    assert.deepEqual([await versionsOf('agent0-sdk'), await versionsOf('viem')], [[sdk], [oldest]]),
  )
  await step('the consumer registers with these', () => runConsumer('lowest', 'sdk-inline'))
  if (otherSdk !== undefined) {
    await npm('install', otherSdk)
    await step(`it registers with the identity SDK of ${basename(otherSdk)}`, () => runConsumer('other', 'sdk-inline'))
  }
}

/** Not every version that a range allows was published, or is still offered. */
async function lowestOffered(peer) {
  const versions = [await npm('view', peer, 'versions', '--json')].flat()
  const order = (one, other) => one.localeCompare(other, 'en', { numeric: true })
  const within = versions.filter((version) => /^[\d.]+$/.test(version) && order(version, oldestOf(peer)) >= 0)
  return within.toSorted(order)[0]
}

function oldestOf(peer) {
  return /^>=([\d.]+)/.exec(manifestOf('wallet').peerDependencies[peer])[1]
}

function manifestOf(name) {
  return JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'))
}

async function step(name, check) {
  try {
    await check()
    console.log(`ok    ${name}`)
  } catch (error) {
    failures += 1
    console.log(`FAIL  ${name}\n${error.stack}\n${error.stdout ?? ''}`)
  }
}

async function runConsumer(name, registrationMethod) {
  const account = devnet.accounts[['plain', 'sdk', 'oldest', 'lowest', 'other'].indexOf(name)]
  const state = join(project, name)
  await mkdir(state)
  const words = [devnet.rpcUrl, devnet.registry.identity, account.privateKey, name, state]
  const said = await run(process.execPath, ['nodenext/consumer.js', ...words])
  assert.equal(said.owner, account.address)
  assert.deepEqual([said.first.registrationMethod, said.first.alreadyRegistered], [registrationMethod, false])
  assert.deepEqual([said.again.agentId, said.again.alreadyRegistered], [said.first.agentId, true])
  const [, tokenId] = said.first.agentId.split(':')
  assert.deepEqual(await onChain(tokenId), { owner: account.address, uri: said.first.agentURI })
  assert.equal(said.isSignedByManaged, true)
  assert.equal(said.refusal, 'VALIDATION_CHAIN_NOT_SUPPORTED')
  const [page, anchor] = said.docs.split('#')
  const codes = await readFile(join(project, 'node_modules/@svc/wallet', page), 'utf8')
  assert.ok(codes.includes(`## ${anchor.toUpperCase()}\n`), `${page} does not tell of ${anchor}`)
  assert.equal(said.base, 8453)
  assert.deepEqual([said.steps[0], said.steps.includes('send')], ['check-chain', true])
}

async function onChain(tokenId) {
  const { createPublicClient, http, parseAbi } = await import('viem')
  const abi = parseAbi([
    'function ownerOf(uint256) view returns (address)',
    'function tokenURI(uint256) view returns (string)',
  ])
  const client = createPublicClient({ transport: http(devnet.rpcUrl) })
  const read = (functionName) =>
    client.readContract({ address: devnet.registry.identity, abi, functionName, args: [BigInt(tokenId)] })
  return { owner: await read('ownerOf'), uri: await read('tokenURI') }
}

/** Every target of `exports` must be in the tarball, and no test; of ours it may need nothing that is not published. */
async function pack(name) {
  const [packed] = await run('npm', ['pack', '--json', '--pack-destination', folder], join(packages, name))
  const files = packed.files.map(({ path }) => path)
  const manifest = manifestOf(name)
  for (const target of Object.values(manifest.exports).flatMap((conditions) => Object.values(conditions))) {
    assert.ok(files.includes(target.slice('./'.length)), `${target} is not packed`)
  }
  for (const file of ['README.md', 'LICENSE']) assert.ok(files.includes(file), `${file} is not packed`)
  const tests = files.filter((file) => /\.(test|test-d|fixture)\./.test(file))
  assert.deepEqual(
    [tests, files.filter((file) => !/^(dist|src)\/|^package\.json$|^README\.md$|^LICENSE$/.test(file))],
    [[], name === 'wallet' ? ['docs/wallet-errors.md'] : []],
  )
  const ours = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter((one) =>
    one.startsWith('@svc/'),
  )
  assert.deepEqual(ours, name === 'wallet' ? [] : ['@svc/wallet'])
  const kilobytes = (bytes) => Math.round(bytes / 1000)
  const { size, unpackedSize, entryCount } = packed
  console.log(`      ${kilobytes(size)} kB packed, ${kilobytes(unpackedSize)} kB unpacked, ${entryCount} files`)
  return join(folder, packed.filename)
}

/** The guide's snippets are one program, from top to bottom. */
async function snippetsOf(page) {
  const snippets = [...(await readFile(page, 'utf8')).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
  assert.ok(snippets.length > 5)
  return snippets.join('\n')
}

async function describeProject(more) {
  const path = join(project, 'package.json')
  const before = JSON.parse(
    await readFile(path, 'utf8').catch(() => '{"name":"consumer","private":true,"type":"module"}'),
  )
  await writeFile(path, JSON.stringify({ ...before, ...more }, null, 2))
}

function npm(command, ...words) {
  return run('npm', [command, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', ...words])
}

/** What a program prints as JSON, or its text. One that hangs is run once more, and said. */
async function run(program, words, cwd = project) {
  let ended = await runOnce(program, words, cwd)
  if (ended.isLate) {
    console.log(`      ${program} ${words.join(' ')} did not end within ${patienceS} s; once more`)
    ended = await runOnce(program, words, cwd)
  }
  const { code, stdout, stderr } = ended
  if (code !== 0) throw Object.assign(new Error(`${program} ${words[0]} ended with ${code}\n${stderr}`), { stdout })
  try {
    return JSON.parse(stdout)
  } catch {
    return stdout
  }
}

/** npm and the compiler start programs of their own, which hold the pipe open: after `patienceS` all of them are killed. */
async function runOnce(program, words, cwd) {
  const child = spawn(program, words, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, patienceS * 1000)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  clearTimeout(timer)
  return { code, stdout, stderr, isLate }
}

async function versionsOf(name) {
  const modules = join(project, 'node_modules')
  const files = await readdir(modules, { recursive: true })
  const manifests = files.filter((file) => `/node_modules/${file}`.endsWith(`/node_modules/${name}/package.json`))
  const texts = await Promise.all(manifests.map((file) => readFile(join(modules, file), 'utf8')))
  return texts.map((text) => JSON.parse(text).version)
}

async function sizeOf(directory) {
  const [bytes] = (await run('du', ['-sb', directory])).split('\t')
  return Math.round(Number(bytes) / 1_000_000)
}
