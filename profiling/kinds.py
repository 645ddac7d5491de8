"""Sorts ATen operators into kinds: the small vocabulary in which families and costs are told."""

from typing import Any

import torch

_NAMES: dict[str, str] = {
    "matmul": "matmul mm bmm addmm baddbmm addbmm mv addmv dot vdot inner outer linear bilinear einsum "
    "tensordot chain_matmul kron _int_mm _scaled_mm",
    "conv": "conv1d conv2d conv3d convolution _convolution conv_transpose1d conv_transpose2d "
    "conv_transpose3d",
    "attention": "scaled_dot_product_attention multi_head_attention_forward",
    "rnn": "rnn_tanh rnn_relu gru lstm rnn_tanh_cell rnn_relu_cell gru_cell lstm_cell",
    "pooling": "max_pool1d max_pool2d max_pool3d max_pool1d_with_indices max_pool2d_with_indices "
    "max_pool3d_with_indices avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d "
    "adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d lp_pool2d",
    "softmax": "softmax _softmax log_softmax _log_softmax",
    "norm": "layer_norm native_layer_norm group_norm native_group_norm batch_norm native_batch_norm "
    "instance_norm rms_norm local_response_norm",
    "reduction": "sum mean amax amin max min prod argmax argmin var var_mean std std_mean norm "
    "linalg_vector_norm linalg_norm linalg_matrix_norm frobenius_norm nuclear_norm logsumexp all any nansum "
    "nanmean median count_nonzero aminmax trace renorm",
    "scan": "cumsum cumprod logcumsumexp cummax cummin",
    "loss": "mse_loss l1_loss smooth_l1_loss huber_loss cross_entropy_loss nll_loss nll_loss_nd kl_div "
    "binary_cross_entropy binary_cross_entropy_with_logits hinge_embedding_loss margin_ranking_loss "
    "triplet_margin_loss cosine_embedding_loss soft_margin_loss multi_margin_loss poisson_nll_loss "
    "gaussian_nll_loss multilabel_margin_loss cdist pairwise_distance cosine_similarity",
    "sort": "sort topk argsort kthvalue unique",
    "gather": "embedding gather index index_select take take_along_dim scatter scatter_add scatter_reduce "
    "index_add index_put masked_scatter embedding_bag one_hot",
    "random": "dropout native_dropout bernoulli rand randn randint rand_like randn_like randint_like normal "
    "uniform exponential multinomial randperm feature_dropout alpha_dropout rrelu",
    "create": "empty zeros ones full arange linspace eye tensor scalar_tensor zeros_like ones_like full_like "
    "empty_like new_zeros new_ones new_full new_empty tril_indices triu_indices lift_fresh_copy",
    "move": "cat concat stack hstack vstack clone contiguous copy pad constant_pad_nd reflection_pad1d "
    "reflection_pad2d reflection_pad3d replication_pad2d repeat repeat_interleave roll flip permute "
    "transpose reshape flatten view expand unsqueeze squeeze slice select split split_with_sizes chunk "
    "unbind unfold detach detach_ alias to _to_copy type_as tile narrow movedim swapaxes channel_shuffle "
    "pixel_shuffle pixel_unshuffle im2col col2im upsample_nearest2d upsample_nearest3d upsample_bilinear2d "
    "expand_as view_as_complex view_as_real numpy_T t unflatten diag diagonal diag_embed meshgrid "
    "broadcast_to broadcast_tensors _unsafe_view lift_fresh as_strided float half bfloat16 "
    "double int long bool",
    "pointwise": "softplus mish silu gelu selu celu elu hardswish hardsigmoid hardtanh hardshrink softshrink "
    "softsign tanhshrink log_sigmoid prelu leaky_relu relu relu6 glu logit threshold tril triu "
    "addcmul addcdiv lerp where clamp clip masked_fill square multiply divide true_divide subtract negative "
    "absolute greater greater_equal less less_equal not_equal fix arccos arcsin arctan arctanh arcsinh "
    "arccosh rsub float_power logaddexp heaviside isclose isfinite isinf isnan special_expit special_erf",
    "check": "_assert_tensor_metadata _assert_async _assert_scalar sym_constrain_range_for_size",
}

_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}


def name_of(target: Any) -> str:
    """`add` for `aten.add_.Tensor`: the operator without namespace, overload and in-place mark."""
    name = (
        target._schema.name if isinstance(target, torch._ops.OpOverload) else getattr(target, "__name__", "")
    )
    name = name.split("::")[-1]
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


def kind_of(target: Any) -> str:
    """The kind of an FX call target; "other" for what no table and no ATen tag places."""
    name = name_of(target)
    if name in _KINDS:
        kind = _KINDS[name]
        takes_pairs = isinstance(target, torch._ops.OpOverload) and target._overloadname == "other"
        return "pointwise" if name in ("max", "min") and takes_pairs else kind
    if not isinstance(target, torch._ops.OpOverload):
        return "move" if name == "getitem" else "other"
    if torch.Tag.pointwise in target.tags:
        return "pointwise"
    return "move" if is_view(target) else "other"


def is_view(target: Any) -> bool:
    """The result shares, or may share, its argument's storage and nothing is written."""
    if not isinstance(target, torch._ops.OpOverload):
        return False
    aliases = [returned.alias_info for returned in target._schema.returns]
    return any(alias is not None and not alias.is_write for alias in aliases)
