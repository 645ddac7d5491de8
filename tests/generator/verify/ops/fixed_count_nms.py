import torch
import torch.nn as nn

BATCH = 3
BOXES = 40
KEEP = 8
THRESHOLD = 0.5


class Model(nn.Module):
    """Greedy non-maximum suppression that always gives KEEP places, and which of them are real."""

    def __init__(self, keep, threshold):
        super().__init__()
        self.keep = keep
        self.threshold = threshold

    def forward(self, boxes, scores):
        x1, y1, x2, y2 = boxes.unbind(dim=2)
        area = (x2 - x1) * (y2 - y1)
        lanes = torch.arange(boxes.shape[1], device=boxes.device)[None, :]
        alive = scores.clone()
        places, real = [], []
        for _ in range(self.keep):
            top, place = alive.max(dim=1, keepdim=True)
            places.append(place)
            real.append(top > float("-inf"))
            w = (torch.minimum(x2, x2.gather(1, place)) - torch.maximum(x1, x1.gather(1, place))).clamp(min=0)
            h = (torch.minimum(y2, y2.gather(1, place)) - torch.maximum(y1, y1.gather(1, place))).clamp(min=0)
            inter = w * h
            union = (area + area.gather(1, place) - inter).clamp(min=1e-6)
            gone = (inter / union > self.threshold) | (lanes == place)
            alive = alive.masked_fill(gone, float("-inf"))
        return torch.cat(places, dim=1), torch.cat(real, dim=1)


def get_inputs():
    corner = torch.rand(BATCH, BOXES, 2) * 6
    size = torch.rand(BATCH, BOXES, 2) * 3 + 1
    return [torch.cat([corner, corner + size], dim=2), torch.rand(BATCH, BOXES)]


def get_init_inputs():
    return [KEEP, THRESHOLD]
