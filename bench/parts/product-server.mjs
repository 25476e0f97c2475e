// The product as it is configured for writing: profile full, a local wallet, API keys, every check on, an endpoint that
// nobody answers. Only the rate limit is out of the way.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openServer, provisionKeys, readConfig } from '@svc/tool-server'
import { answerCpu } from './answer-cpu.mjs'

const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))
const policy = { rateLimits: { unauthenticatedPerIp: 1_000_000, perIp: 1_000_000, perToken: 1_000_000 } }
writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(policy), { mode: 0o600 })
const settings = {
  SVC_DATA_DIR: dataDir,
  SVC_LISTEN: '127.0.0.1:0',
  SVC_RPC_URL_1: 'http://127.0.0.1:9',
  PRIVATE_KEY: `0x${'11'.repeat(32)}`,
  LOG_LEVEL: process.env.LOG_LEVEL,
  ...JSON.parse(process.env.BENCH_SETTINGS ?? '{}'),
}
const key = provisionKeys(readConfig(settings), randomBytes).write.reveal()
const server = await openServer(readConfig(settings))
const { port } = await server.listen()
answerCpu(port, key)
