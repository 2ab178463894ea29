import buildSerializer from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { oncePerSchema } from './once-per-schema.ts'

/** Fastify's own serializers, which write the fields of the response's schema and no others. */
export const serializerCompiler: FastifySerializerCompiler<TSchema> = ({ schema }) => serializerOf(schema)

const serializerOf = oncePerSchema((schema) => buildSerializer(schema))
