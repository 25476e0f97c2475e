/** The child's half of child-server.mjs. */
export function answerCpu(port, key = null) {
  process.on('message', () => process.send(process.cpuUsage()))
  process.send({ port, key })
}
