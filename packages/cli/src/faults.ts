import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'

const nameWidth = 22

export function addFaultCommands(program: Command, context: CommandContext): void {
  const faults = program.command('faults').description('what shall go wrong with a payment, in the sandbox')

  guide(
    faults
      .command('list', { isDefault: true })
      .description('what can go wrong, and what was set; the same as faults alone'),
    { examples: ['malipo faults', 'malipo faults list --json'] },
  ).action(async () => {
    const found = await context.call(async ({ sandbox }) => {
      const [{ scenarios }, armed] = await Promise.all([sandbox.testValues(), sandbox.scenarios.list()])
      return { scenarios, armed }
    })
    context.say(found, ({ table, wrap, paint }) => {
      const known = found.scenarios.map(
        ({ name, what }) => `${paint('bold', name.padEnd(nameWidth))}${wrap(what, nameWidth)}`,
      )
      const set = table(found.armed, {
        REFERENCE: ({ externalReference }) => externalReference,
        SCENARIO: ({ scenario }) => scenario,
      })
      return `${known.join('\n')}\n\n${found.armed.length === 0 ? 'None is set. malipo faults set REFERENCE SCENARIO sets one.' : set}`
    })
  })

  guide(
    faults
      .command('set')
      .description('have something go wrong with the payment that will have this reference')
      .argument('<reference>', 'your externalReference')
      .argument('<scenario>', 'one of malipo faults list'),
    {
      note: 'It is used up by that payment. For one you make here, --scenario of malipo charge and malipo pay does the same.',
      examples: ['malipo faults set order-1050 lost-answer', 'malipo faults set order-1051 duplicate-webhook'],
    },
  ).action(async (reference: string, scenario: string) => {
    await context.call(({ sandbox }) => sandbox.scenarios.set(reference, scenario))
    context.say({ externalReference: reference, scenario }, () => `${reference}: ${scenario}.`)
  })

  guide(
    faults
      .command('clear')
      .description('let a payment to come go its usual way')
      .argument('<reference>', 'your externalReference'),
    { examples: ['malipo faults clear order-1050', 'malipo faults clear order-1051 --json'] },
  ).action(async (reference: string) => {
    await context.call(({ sandbox }) => sandbox.scenarios.delete(reference))
    context.say({ externalReference: reference, scenario: null }, () => `${reference} goes its usual way.`)
  })
}
