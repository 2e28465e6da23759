/** Work modes: the machine as it is loaded, and which mode a text asks for. */
import { ModeList, ModeSuggestion, SuggestMode, type AgentSource } from '@bullpen/contracts';
import { suggestMode as suggest, type ModeMachine } from '@bullpen/core';
import { Body, Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { MODE_MACHINE, MODE_SOURCES } from '../http/tokens.js';

@ApiTags('system')
@Controller('v1/modes')
export class ModesController {
  constructor(
    @Inject(MODE_MACHINE) private readonly machine: ModeMachine,
    @Inject(MODE_SOURCES) private readonly sources: ReadonlyMap<string, AgentSource>,
  ) {}

  @Get()
  @ApiRoute({
    summary: 'Work modes and the rules between them',
    description: 'What each mode is for, the tools on offer in it, and which trigger leads where.',
    answer: ModeList,
  })
  listModes(): ModeList {
    const data = this.machine.modes.map((mode) => ({
      ...mode,
      source: this.sources.get(mode.name) ?? { kind: 'built-in' as const, name: mode.name },
    }));
    return { data };
  }

  @Post('suggest')
  @HttpCode(200)
  @ApiRoute({
    summary: 'Which mode a text asks for',
    description:
      'Decided by rules, in English and Korean; no model is called and nothing changes. Words that are quoted, pasted or denied do not count. When `isSure` is false, ask the person.',
    answer: ModeSuggestion,
  })
  suggestMode(@Body({ schema: SuggestMode }) { text, current }: SuggestMode): ModeSuggestion {
    const { others, ...suggestion } = suggest(text, { current });
    return { ...suggestion, others: [...others] };
  }
}
