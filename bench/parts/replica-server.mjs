// A server of the profile data as it is configured by default, but for the limit of a key, behind an edge that names each caller's address. With
// SVC_DATABASE_URL it is one of several.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openServer, provisionKeys, readConfig } from '@svc/tool-server'
import { answerCpu } from './answer-cpu.mjs'

const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))
writeFileSync(join(dataDir, 'policy.json'), JSON.stringify({ rateLimits: { perToken: 1_000_000 } }), { mode: 0o600 })
const settings = {
  SVC_DATA_DIR: dataDir,
  SVC_LISTEN: '127.0.0.1:0',
  SVC_MCP_PROFILE: 'data',
  SVC_TRUSTED_PROXIES: '127.0.0.1',
  SVC_RPC_URL_1: 'http://127.0.0.1:9',
  SVC_DATABASE_URL: process.env.SVC_DATABASE_URL,
  LOG_LEVEL: 'silent',
}
const key = provisionKeys(readConfig(settings), randomBytes).read.reveal()
const server = await openServer(readConfig(settings))
const { port } = await server.listen()
answerCpu(port, key)
