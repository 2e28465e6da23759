import { Module } from '@nestjs/common';
import { SearchController } from './search.controller.js';
import { SearchIndexer } from './search-indexer.js';

/** Finding tasks by what was said in them. */
@Module({ controllers: [SearchController], providers: [SearchIndexer] })
export class SearchModule {}
