#!/usr/bin/env node
import { userInfo } from 'node:os'
import { createProgram } from './program.ts'

const write = (text: string) => void process.stdout.write(text)
const complain = (text: string) => void process.stderr.write(text)

const run = createProgram({ variables: process.env, actor: userInfo().username, write, complain })
process.exit(await run(process.argv.slice(2)))
