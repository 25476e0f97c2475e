#!/usr/bin/env node
try {
  await import('../dist/main.js')
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !/[\\/]dist[\\/]/.test(error.message)) throw error
  process.stderr.write(
    'svc: it is not built. In its repository, run: npm run build (npm start and npm run demo do so by themselves)\n',
  )
  process.exitCode = 1
}
