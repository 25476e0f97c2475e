// Starts the service in the directory of its image, which is all it may load from.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [image] = process.argv.slice(2)
const state = mkdtempSync(join(tmpdir(), 'svc-image-state-'))
const settings = {
  PATH: process.env.PATH,
  NODE_ENV: 'production',
  SVC_LISTEN: '127.0.0.1:0',
  SVC_DATA_DIR: state,
  SVC_GATEWAY_URL: 'https://api.example',
  SVC_IDENTITY_PROVIDER_URL: 'http://127.0.0.1:1',
  SVC_FAUCET_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
  SVC_RPC_URL_11155111: 'http://127.0.0.1:1',
  SVC_RPC_URL_84532: 'http://127.0.0.1:2',
}

try {
  for (const name of ['@svc/devnet', '@svc/cli', '@svc/tool-server', 'typescript', 'vitest', 'playwright-core']) {
    assert(!existsSync(join(image, 'node_modules', name)), `${name} has no place in the image`)
  }
  const service = start(settings)
  const [, url] = await service.said(/listens on (\S+)/)
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  assert.equal((await fetch(`${url}/openapi.json`)).status, 200)
  service.process.kill('SIGTERM')
  assert.deepEqual(await service.ended, [0, null])

  const alone = start({ ...settings, SVC_DATABASE_URL: 'postgres://svc@127.0.0.1:1/svc' })
  await alone.said(/SVC_DATABASE_URL/)
  assert.deepEqual(await alone.ended, [1, null])
  process.stdout.write('The image of the support API holds what the service needs, and starts.\n')
} finally {
  rmSync(state, { recursive: true, force: true })
}

function start(env) {
  const process = spawn('node', ['packages/support-api/bin/svc-support-api.js'], { cwd: image, env })
  const ended = once(process, 'exit')
  let text = ''
  const said = (pattern) =>
    new Promise((resolve, reject) => {
      const look = () => pattern.test(text) && resolve(pattern.exec(text))
      process.stderr.on('data', (chunk) => {
        text += chunk
        look()
      })
      process.once('close', () => {
        look()
        reject(new Error(`The service ended and said: ${text}`))
      })
    })
  return { process, ended, said }
}
