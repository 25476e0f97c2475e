// node scripts/app-host.mjs: prints a page that is a host of MCP Apps, made of the extension's own `AppBridge`. It shows one
// view in a sandboxed frame and is driven through `appHost`; the tests and the pictures of the views use it.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export async function appHostPage() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('app-host-program.mjs', import.meta.url))],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    logLevel: 'warning',
  })
  const script = outputFiles[0].text.replaceAll('</script', String.raw`<\/script`)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title>
<style>body { margin: 0 } iframe { border: 0; width: 100%; display: block }</style></head><body><script>${script}</script></body></html>`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(await appHostPage())
