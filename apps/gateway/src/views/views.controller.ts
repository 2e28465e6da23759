/** Saved views: a screen with everything that its address holds, under a name. */
import {
  AppError,
  CreateSavedView,
  Deleted,
  SavedView,
  SavedViewList,
  UpdateSavedView,
} from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import {
  createSavedView,
  deleteSavedView,
  keyName,
  listSavedViews,
  updateSavedView,
  type Principal,
  type Prisma,
} from '@bullpen/store';
import { Body, Controller, Delete, Get, Inject, Param, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { ViewIdPipe } from '../http/id-pipes.js';
import { notFound } from '../http/problem.js';
import { PRISMA } from '../http/tokens.js';

@ApiTags('views')
@Controller('v1/views')
export class ViewsController {
  constructor(@Inject(PRISMA) private readonly prisma: Prisma) {}

  @Get()
  @ApiRoute({ summary: 'Your saved views, and those that your tenant shares', answer: SavedViewList })
  async listViews(@CurrentPrincipal() owner: Principal): Promise<SavedViewList> {
    return { data: await listSavedViews(this.prisma, ownerOf(owner)) };
  }

  @Post()
  @ApiRoute({
    summary: 'Save a view',
    status: 201,
    answer: SavedView,
    idempotent: true,
    problems: ['already_exists'],
  })
  async createView(
    @CurrentPrincipal() owner: Principal,
    @Body({ schema: CreateSavedView }) body: CreateSavedView,
  ): Promise<SavedView> {
    const by = await keyName(this.prisma, owner.keyId);
    const view = await createSavedView(this.prisma, ownerOf(owner), newId('view'), by, body);
    if (view !== null) return view;
    throw new AppError('already_exists', `You already have a view ${JSON.stringify(body.name)} there.`, {
      nextActions: [{ action: 'view.list' }],
    });
  }

  @Patch(':id')
  @ApiRoute({
    summary: 'Change a view of yours',
    answer: SavedView,
    problems: ['not_found', 'invalid_json', 'body_too_large', 'unsupported_media_type'],
  })
  async updateView(
    @CurrentPrincipal() owner: Principal,
    @Param('id', ViewIdPipe) id: string,
    @Body({ schema: UpdateSavedView }) body: UpdateSavedView,
  ): Promise<SavedView> {
    const view = await updateSavedView(this.prisma, ownerOf(owner), id, body);
    if (view === null) throw notFound('saved view', id);
    return view;
  }

  @Delete(':id')
  @ApiRoute({ summary: 'Delete a view of yours', answer: Deleted, problems: ['not_found'] })
  async deleteView(
    @CurrentPrincipal() owner: Principal,
    @Param('id', ViewIdPipe) id: string,
  ): Promise<Deleted> {
    if (!(await deleteSavedView(this.prisma, ownerOf(owner), id))) throw notFound('saved view', id);
    return { id };
  }
}

function ownerOf({ tenantId, keyId }: Principal) {
  return { tenantId, keyId };
}
