// The product on a chain, over one endpoint, with the policy of the local chain. Its log goes to stderr, the durations of
// the pipeline's stages among it.
import { randomBytes } from 'node:crypto'
import { openServer, provisionKeys, readConfig } from '@svc/tool-server'
import { answerCpu } from './answer-cpu.mjs'

const settings = JSON.parse(process.env.SETTINGS)
const key = provisionKeys(readConfig(settings), randomBytes).write.reveal()
const server = await openServer(readConfig(settings))
const { port } = await server.listen()
answerCpu(port, key)
