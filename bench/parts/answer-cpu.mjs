/** The child's half of child-server.mjs: says where it listens, tells what it used when asked, ends with its parent. */
export function answerCpu(port, key = null) {
  process.on('message', () => process.send({ ...process.cpuUsage(), rssBytes: process.memoryUsage.rss() }))
  process.on('disconnect', () => process.exit())
  process.send({ port, key })
}
