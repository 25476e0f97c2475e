/**
 * What everything that runs the image of the tool server has to know of it. A test holds the files of `deploy/tool-server` to it, and it to
 * the Dockerfile.
 */
export const imageFacts = {
  dockerfile: 'deploy/tool-server/Dockerfile',
  httpPort: 3000,
  metricsPort: 9464,
  healthPath: '/healthz',
  healthCommand: '/app/healthy',
  dataDir: '/data',
  /** Of user and group. */
  runsAs: 1000,
  /** Swap is not counted on. */
  memoryMb: 256,
  /** Longer than a server takes to end, whatever hangs. */
  stopSeconds: 30,
} as const
