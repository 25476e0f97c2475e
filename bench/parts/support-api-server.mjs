// One replica of the support API in a process of its own, with the settings it is given.
import { openSupportApi, readConfig } from '@svc/support-api'
import { answerCpu } from './answer-cpu.mjs'

const api = await openSupportApi(readConfig(JSON.parse(process.env.SETTINGS)), { ownsProcess: true })
const { port } = await api.listen()
answerCpu(port)
