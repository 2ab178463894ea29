import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'

const nameWidth = 22

export function addFaultCommands(program: Command, context: CommandContext): void {
  const faults = program.command('faults').description('Make sandbox payments fail in chosen ways.')

  guide(
    faults
      .command('list', { isDefault: true })
      .description('List available scenarios and those that are set (default command).'),
    { examples: ['malipo faults', 'malipo faults list --json'] },
  ).action(async () => {
    const found = await context.call(async ({ sandbox }) => {
      const [{ scenarios }, armed] = await Promise.all([sandbox.testValues(), sandbox.scenarios.list()])
      return { scenarios, armed }
    })
    context.print(found, ({ table, wrap, paint }) => {
      const known = found.scenarios.map(
        ({ name, what }) => `${paint('bold', name.padEnd(nameWidth))}${wrap(what, nameWidth)}`,
      )
      const set = table(found.armed, {
        REFERENCE: ({ externalReference }) => externalReference,
        SCENARIO: ({ scenario }) => scenario,
      })
      return `${known.join('\n')}\n\n${found.armed.length === 0 ? 'No scenario is set. Set one: malipo faults set REFERENCE SCENARIO' : set}`
    })
  })

  guide(
    faults
      .command('set')
      .description('Set a scenario for the next payment with this reference.')
      .argument('<reference>', 'your externalReference')
      .argument('<scenario>', 'a scenario from malipo faults list'),
    {
      note: 'The scenario applies to one payment. malipo charge and malipo pay take the same scenarios with --scenario.',
      examples: ['malipo faults set order-1050 lost-answer', 'malipo faults set order-1051 duplicate-webhook'],
    },
  ).action(async (reference: string, scenario: string) => {
    await context.call(({ sandbox }) => sandbox.scenarios.set(reference, scenario))
    context.print({ externalReference: reference, scenario }, () => `Set ${scenario} for ${reference}.`)
  })

  guide(
    faults
      .command('clear')
      .description('Remove the scenario set for a reference.')
      .argument('<reference>', 'your externalReference'),
    { examples: ['malipo faults clear order-1050', 'malipo faults clear order-1051 --json'] },
  ).action(async (reference: string) => {
    await context.call(({ sandbox }) => sandbox.scenarios.delete(reference))
    context.print({ externalReference: reference, scenario: null }, () => `Removed the scenario of ${reference}.`)
  })
}
