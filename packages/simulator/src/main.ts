#!/usr/bin/env node
import { startSimulator } from './server.ts'
import { readSettings } from './settings.ts'

const settings = readSettings(process.env)
const simulator = await startSimulator(settings)
process.stdout.write(`${JSON.stringify({ listening: simulator.url })}\n`)

const end = () => {
  simulator.close()
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end)
if (settings.endsWithStdin) process.stdin.on('end', end).on('error', end).resume()
